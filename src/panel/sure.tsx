interface Props {
  readonly text: string;
  readonly back: { readonly label: string; readonly act: () => void };
  readonly go: { readonly label: string; readonly act: () => void; readonly disabled: boolean };
}

/** The second step of what one slip of the hand must not do. */
export function Sure({ text, back, go }: Props) {
  return (
    <footer class="actions sure">
      <p>{text}</p>
      <button type="button" class="secondary" ref={focusOnce} onClick={back.act}>
        {back.label}
      </button>
      <button type="button" class="danger" onClick={go.act} disabled={go.disabled}>
        {go.label}
      </button>
    </footer>
  );
}

// One function for all drawings: another one each time would take the focus with each of them.
const focusOnce = (button: HTMLButtonElement | null): void => button?.focus();
