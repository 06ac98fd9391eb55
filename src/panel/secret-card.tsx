import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { JsonObject } from '../channel.ts';
import { type CardProps, Frame, Problem } from './frame.tsx';
import { isObject, textOf } from './prompt.ts';
import type { Said } from './words.ts';

/** What a secret is asked for with, by method. */
interface Asked {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly label: string;
  /** Asked for beside it, and no secret. */
  readonly nameLabel?: string;
}

const given = (field: string, label: string, params: JsonObject): ComponentChildren =>
  textOf(params[field]) === '' ? null : (
    <p class="hint" dir="auto">
      {label} {textOf(params[field])}
    </p>
  );

const PASSWORD = 'Your password';
const ASKED: Readonly<Record<string, (params: JsonObject) => Asked>> = {
  sudo: (params) => ({
    title: 'A command needs your administrator password.',
    about: textOf(params['command']) === '' ? null : <pre class="command">{textOf(params['command'])}</pre>,
    label: PASSWORD,
  }),
  'display.install.sudo': () => ({
    title: 'An installation on this computer needs your administrator password.',
    label: PASSWORD,
  }),
  secret: (params) => ({
    title: textOf(params['prompt']) || `A value for ${textOf(params['env_var'])} is needed.`,
    about: (
      <>
        {given('env_var', 'Name:', params)}
        {isObject(params['metadata']) ? given('description', '', params['metadata']) : null}
      </>
    ),
    label: 'Value',
  }),
  'vault.unlock_prompt': (params) => ({
    title: `Unlock ${textOf(params['display_name']) || 'the vault'}`,
    about: given('backend', 'Kept by', params),
    label: 'Its password',
  }),
  'vault.code': (params) => ({
    title: `A code for ${textOf(params['site']) || 'the login'} is needed.`,
    about: given('hint', '', params),
    label: 'Code',
  }),
  'vault.save_login': (params) => ({
    title: `Save a login for ${textOf(params['site']) || 'a site'}`,
    about: given('origin', 'It is used at', params),
    label: 'Password',
    nameLabel: 'User name',
  }),
};

const GIVEN: Said = { tone: 'good', title: 'Given', detail: 'It went to whoever asked, and is not stored here.' };
const REFUSED: Said = { tone: 'over', title: 'Not given', detail: 'Whoever asked was told that you gave nothing.' };

/** Something that only its asker may know. The field keeps it until it is sent; nothing else of the page ever has it. */
export function SecretCard({ card, desk }: CardProps) {
  const form = useRef<HTMLFormElement>(null);
  const asked = ASKED[card.method]?.(card.params);
  if (asked === undefined) return null;
  const send = (event: Event) => {
    event.preventDefault();
    const [secret, name] = [field(form.current, 'secret'), field(form.current, 'name')];
    if (secret === null || secret.value === '' || card.state !== 'live') return;
    const value = name === null ? secret.value : JSON.stringify({ identifier: name.value, password: secret.value });
    desk.requests.answer(card.id, { value }, GIVEN);
    // What did not leave may be sent again from the field.
    if (desk.hasLeft(card.id)) form.current?.reset();
  };
  const isLive = card.state === 'live';
  return (
    <Frame card={card} desk={desk} title={asked.title}>
      {asked.about}
      {/* Sent by script alone: a form that is submitted would put it into an address. */}
      <form ref={form} class="secret" method="dialog" autocomplete="off" onSubmit={send}>
        {asked.nameLabel === undefined ? null : (
          <Field
            card={card.id}
            name="name"
            type="text"
            label={asked.nameLabel}
            disabled={card.state === 'unconfirmed'}
          />
        )}
        <Field
          card={card.id}
          name="secret"
          type="password"
          label={asked.label}
          disabled={card.state === 'unconfirmed'}
        />
        <footer class="actions">
          <button type="submit" class="primary" disabled={!isLive}>
            {card.state === 'unconfirmed' && desk.connected ? 'Sending…' : 'Give it'}
          </button>
          <Problem card={card} text="It goes to whoever asked, and is not stored." />
          <button
            type="button"
            class="quiet decline"
            disabled={!isLive}
            onClick={() => desk.requests.answer(card.id, { value: '' }, REFUSED)}
          >
            Do not give it
          </button>
        </footer>
      </form>
    </Frame>
  );
}

const field = (form: HTMLFormElement | null, name: string): HTMLInputElement | null =>
  form?.querySelector<HTMLInputElement>(`input[name="${name}"]`) ?? null;

interface FieldProps {
  readonly card: string;
  readonly name: string;
  readonly type: 'text' | 'password';
  readonly label: string;
  readonly disabled: boolean;
}

/** Never drawn with a value: what is typed is the field's own, and in no attribute. */
function Field({ card, name, type, label, disabled }: FieldProps) {
  const id = `${name}-${card}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...{ id, name, type, disabled }}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        data-lpignore="true"
        data-1p-ignore="true"
      />
    </div>
  );
}
