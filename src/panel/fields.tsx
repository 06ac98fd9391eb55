import type { AskOption } from '../api.ts';
import { SIZES } from '../limits.ts';
import type { Desk } from './desk.ts';
import type { Prompt } from './prompt.ts';
import { count, replyOf, toggle } from './reply.ts';

interface Props {
  readonly prompt: Prompt;
  readonly desk: Desk;
  readonly disabled: boolean;
}

/** What a person answers one question with: choices, own words, or both. */
export function Fields(props: Props & { labelledBy: string }) {
  const { prompt } = props;
  return (
    <>
      {prompt.options.length > 0 ? <Options {...props} /> : null}
      {prompt.freeText ? <FreeText {...props} /> : null}
    </>
  );
}

function Options({ prompt, desk, disabled, labelledBy }: Props & { labelledBy: string }) {
  return (
    <fieldset class="options" aria-labelledby={labelledBy} disabled={disabled}>
      {prompt.multiSelect ? <p class="hint">Choose one or more.</p> : null}
      {prompt.options.map((option, index) => (
        <Option key={option.id} prompt={prompt} desk={desk} option={option} index={index} />
      ))}
    </fieldset>
  );
}

type OptionProps = Omit<Props, 'disabled'> & { readonly option: AskOption; readonly index: number };

function Option({ prompt, desk, option, index }: OptionProps) {
  const { key, multiSelect } = prompt;
  const chosen = desk.drafts.get(key).selected.includes(option.id);
  const choose = () => desk.edit(key, toggle(prompt, desk.drafts.get(key), option.id));
  // A radio button cannot be taken back by the browser alone; a second click does it here.
  const takeBack = () => {
    if (!multiSelect && desk.drafts.get(key).selected.includes(option.id)) choose();
  };
  const descriptionId = `d-${key}-${index}`;
  return (
    <label class={chosen ? 'option chosen' : 'option'}>
      <input
        type={multiSelect ? 'checkbox' : 'radio'}
        name={`o-${key}`}
        value={option.id}
        checked={chosen}
        data-number={index + 1}
        aria-describedby={option.description === undefined ? undefined : descriptionId}
        onChange={multiSelect ? choose : undefined}
        onClick={multiSelect ? undefined : takeBack}
        onInput={multiSelect ? undefined : choose}
      />
      <span class="option-text">
        <span class="option-label" dir="auto">
          {option.label}
        </span>
        {option.description === undefined ? null : (
          <span class="option-description" id={descriptionId} dir="auto">
            {option.description}
          </span>
        )}
      </span>
      {index < 9 ? (
        <span class="key" aria-hidden="true">
          {index + 1}
        </span>
      ) : null}
    </label>
  );
}

/** UTF-16 units from which a text field no longer grows with its text: browsers take seconds to measure it. */
const LONG = 20_000;

/** Refuses what would pass the limit before the browser takes it in; a field with megabytes of lines stands still. */
function beforeInput(event: InputEvent & { currentTarget: HTMLTextAreaElement }, key: string, desk: Desk): void {
  const added = event.data?.length ?? 0;
  if (added < LONG) return;
  const { value, selectionStart, selectionEnd, classList } = event.currentTarget;
  const length = value.length - (selectionEnd - selectionStart) + added;
  if (length <= SIZES.answerText) {
    classList.add('long');
    return;
  }
  event.preventDefault();
  desk.tooLong(key, length);
}

function FreeText({ prompt, desk, disabled }: Props) {
  const { key } = prompt;
  const draft = desk.drafts.get(key);
  const id = `t-${key}`;
  const near = draft.text.length > SIZES.answerText * 0.8;
  const isAdded = prompt.options.length > 0;
  return (
    <div class="free">
      <label for={id}>{isAdded ? 'In your own words' : 'Your answer'}</label>
      <textarea
        id={id}
        dir="auto"
        class={draft.text.length >= LONG ? 'long' : ''}
        rows={isAdded ? 1 : 3}
        value={draft.text}
        disabled={disabled}
        placeholder={isAdded ? 'Instead of a choice, or added to it' : ''}
        onBeforeInput={(event) => beforeInput(event, key, desk)}
        onInput={(event) => {
          const { selected } = desk.drafts.get(key);
          desk.edit(key, { selected, text: event.currentTarget.value });
        }}
      />
      {near ? (
        <p class="hint">
          {count(draft.text.length)} of {count(SIZES.answerText)} characters
          {desk.drafts.fleeting(key) ? '. This draft is too large to be kept across a reload.' : ''}
        </p>
      ) : null}
    </div>
  );
}

/** Why the entry of one question cannot be sent, where it cannot. */
export function problemOf(prompt: Prompt, desk: Desk): { readonly text: string; readonly alarm: boolean } | undefined {
  const checked = replyOf(prompt, desk.drafts.get(prompt.key));
  return checked.ok ? undefined : { text: checked.problem, alarm: checked.alarm };
}

export const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
