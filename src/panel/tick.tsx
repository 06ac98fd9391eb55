/** Says at a glance which questions of a card are done. */
export function Tick({ isOn }: { isOn: boolean }) {
  return (
    <svg
      class={isOn ? 'tick on' : 'tick'}
      viewBox="0 0 24 24"
      role="img"
      aria-label={isOn ? 'Answered' : 'Not answered'}
    >
      <circle cx="12" cy="12" r="10" />
      {isOn ? <path d="M7 12.5l3.5 3.5 7-8" /> : null}
    </svg>
  );
}
