/** Just enough XML to see that a text is well formed, and what is in it. Throws at the first fault. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

interface Open {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const TOKEN = /<\?xml[^?]*\?>|<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|[^<]+/gy;

export function parseXml(source: string): Element {
  const root: Open = { name: '', attributes: {}, children: [], text: '' };
  const open: Open[] = [root];
  TOKEN.lastIndex = 0;
  let at = 0;
  for (let token = TOKEN.exec(source); token !== null; token = TOKEN.exec(source)) {
    at = TOKEN.lastIndex;
    const [whole, closing, name, attributes = '', alone] = token;
    const here = open.at(-1) as Open;
    if (name === undefined) {
      if (!whole.startsWith('<?')) here.text += plain(whole);
    } else if (closing === '/') {
      if (here.name !== name) throw new Error(`</${name}> ends <${here.name}>`);
      open.pop();
    } else {
      const element: Open = { name, attributes: attributesOf(attributes), children: [], text: '' };
      here.children.push(element);
      if (alone !== '/') open.push(element);
    }
  }
  if (at < source.length) throw new Error(`not well formed: ${source.slice(at, at + 60)}`);
  const [only, ...others] = root.children;
  if (only === undefined || others.length > 0 || open.length > 1) throw new Error('not one whole element');
  return only;
}

function attributesOf(source: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of source.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    if (name in found) throw new Error(`${name} is there twice`);
    found[name] = plain(value);
  }
  return found;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const plain = (text: string): string =>
  text.replace(/&(\w*);?/g, (whole, name: string) => {
    const sign = ENTITIES[name];
    if (sign === undefined) throw new Error(`"${whole}" is no entity`);
    return sign;
  });

/** Every element below, in the order of the text. */
export const elementsOf = (element: Element): readonly Element[] => [element, ...element.children.flatMap(elementsOf)];
