/** `readback answer`: a person's answer to exactly one ask, named by its id. */

import type { AskView, Reply } from '../api.ts';
import { SIZES } from '../limits.ts';
import { connect } from './client.ts';
import { find } from './find.ts';
import { stateFolder } from './home.ts';
import type { Global, Io } from './io.ts';
import { bounded, utf8 } from './parse.ts';
import { usage } from './problem.ts';
import { brief } from './text.ts';
import { tellVerdict } from './verdict.ts';

export interface AnswerFlags extends Global {
  readonly option?: readonly string[] | undefined;
  readonly text?: string | undefined;
  readonly decline?: boolean | undefined;
}

const LIKE_AN_ID = /^(?:pa-[0-9a-z-]*|[0-9a-f-]{4,})$/i;
const EXAMPLE = 'for example: readback answer pa-3f9c2a --option yes; see the ids with: readback list';

export async function answer(io: Io, words: readonly string[], flags: AnswerFlags): Promise<number> {
  const [id, ...rest] = words;
  // A bare word is never taken for an answer, not even when one ask alone is open (C7, C13).
  if (id === undefined) {
    throw usage('ID', 'an answer names the ask it is for', EXAMPLE);
  }
  if (rest.length > 0) {
    const said = brief(rest.join(' '), 40);
    throw usage(
      '--text',
      `"${said}" is neither an id nor an option`,
      `to write it as a text: readback answer ${brief(id, 40)} --text "${said}"`,
    );
  }
  const bare = flags.option === undefined && flags.text === undefined && flags.decline !== true;
  if (bare && !LIKE_AN_ID.test(id)) {
    throw usage('ID', `"${brief(id, 40)}" is no id, and an answer names the ask it is for`, EXAMPLE);
  }
  const reply = await replyOf(io, flags);
  const client = connect(stateFolder(flags.home, io.env));
  const ask = await find(client, id);
  checkOffered(ask, reply);
  return tellVerdict(io, await client.answer(ask.askId, reply), flags);
}

async function replyOf(io: Io, flags: AnswerFlags): Promise<Reply> {
  const selected = flags.option ?? [];
  const text = flags.text === '-' ? utf8('--text', await io.stdin()) : flags.text;
  if (flags.decline === true) {
    if (selected.length > 0 || text !== undefined) {
      throw usage('--decline', 'refusing to answer and answering exclude each other', 'leave one of them out');
    }
    return { declined: true };
  }
  if (text !== undefined && text.trim() === '')
    throw usage('--text', 'is empty', 'write something, or refuse with --decline');
  if (selected.length === 0 && text === undefined) {
    throw usage(
      '--option',
      'the answer is empty',
      'give --option ID, --text "…" (or --text - for stdin), or --decline',
    );
  }
  if (text !== undefined) bounded('--text', 'the text', text, SIZES.answerText);
  return { ...(selected.length === 0 ? {} : { selected }), ...(text === undefined ? {} : { text }) };
}

/** Said before the host is asked, because here the ids that are offered can be listed. The host checks again. */
function checkOffered(ask: AskView, reply: Reply): void {
  const offered = ask.options.map((option) => option.id);
  const chosen = reply.selected ?? [];
  const stranger = chosen.find((id) => !offered.includes(id));
  if (stranger === undefined) return checkTaken(ask, reply);
  const byLabel = ask.options.find((option) => option.label.toLowerCase() === stranger.toLowerCase());
  const meant = byLabel === undefined ? '' : `; the option with this label has the id ${byLabel.id}`;
  const remedy = offered.length === 0 ? 'this ask wants a text: --text "…"' : `offered are: ${offered.join(', ')}`;
  throw usage('--option', `"${brief(stranger, 40)}" was not offered${meant}`, `nothing was saved; ${remedy}`);
}

/** How many choices this question takes, and whether it takes a text: the words of the host are made for agents. */
function checkTaken({ options, multiSelect, freeText }: AskView, { selected = [], text }: Reply): void {
  const offered = options.map(({ id }) => id).join(', ');
  const twice = selected.find((id, i) => selected.indexOf(id) < i);
  if (twice !== undefined)
    throw usage('--option', `"${brief(twice, 40)}" is given twice`, 'nothing was saved; give each choice once');
  if (selected.length > 1 && !multiSelect) {
    const reason = `this question takes one choice, and ${selected.length} were given`;
    throw usage('--option', reason, `nothing was saved; give one of: ${offered}`);
  }
  if (text !== undefined && !freeText) {
    const remedy = `nothing was saved; choose with --option, one of: ${offered}`;
    throw usage('--text', 'this question takes no text of your own', remedy);
  }
}
