import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface LongListProps<Item> {
  readonly class?: string;
  readonly items: readonly Item[];
  /** What is copied for each item: a line with one button in it. */
  readonly line: HTMLElement;
  /** Changes when lines are to be written anew though the items are the same. */
  readonly here: number;
  /** Writes an item into a line, which may show another one so far. */
  write(line: HTMLElement, item: Item, at: number): void;
  pick(at: number): void;
}

/** A line as it is copied: a button of parts, each a tag and a class. */
export function lineOf(...parts: readonly (readonly [tag: string, className?: string])[]): HTMLElement {
  const line = document.createElement('li');
  const button = line.appendChild(document.createElement('button'));
  button.type = 'button';
  for (const [tag, className] of parts) {
    const part = button.appendChild(document.createElement(tag));
    if (className !== undefined) part.className = className;
    part.append('');
  }
  return line;
}

/** The texts of a line's parts. What stands there already is left alone, so that nothing is laid out anew for it. */
export function writeLine({ firstElementChild: button }: HTMLElement, isHere: boolean, texts: readonly string[]): void {
  let part = button?.firstElementChild;
  for (const text of texts) {
    const node = part?.firstChild as Text | null | undefined;
    if (node && node.data !== text) node.data = text;
    part = part?.nextElementSibling;
  }
  if (isHere) button?.setAttribute('aria-current', 'step');
  else button?.removeAttribute('aria-current');
}

/** A list of a thousand like lines, copied and written by hand: a virtual node for each part costs several times that. */
export function LongList<Item>(props: LongListProps<Item>) {
  const { items, line, here, write } = props;
  const list = useRef<HTMLOListElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useLayoutEffect(() => {
    const { current: ol } = list;
    if (ol === null) return;
    while (ol.childElementCount > items.length) ol.lastElementChild?.remove();
    // Lines stay in their place, so that a button that has the focus keeps it.
    let known = ol.firstElementChild as HTMLElement | null;
    const added = document.createDocumentFragment();
    items.forEach((item, at) => {
      write(known ?? added.appendChild(line.cloneNode(true) as HTMLElement), item, at);
      known = (known?.nextElementSibling ?? null) as HTMLElement | null;
    });
    ol.append(added);
  }, [items, here]);
  useEffect(() => {
    const { current: ol } = list;
    const click = ({ target }: Event): void => {
      const picked = target instanceof Element ? target.closest('button')?.parentElement : null;
      if (picked) latest.current.pick([...(ol?.children ?? [])].indexOf(picked));
    };
    ol?.addEventListener('click', click);
    return () => ol?.removeEventListener('click', click);
  }, []);
  return <ol class={props.class} ref={list} />;
}
