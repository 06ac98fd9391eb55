import { type CardKind, type CardKinds, type JsonObject, personKinds } from '../channel.ts';
import { clarifyPrompts, textOf } from './prompt.ts';

/** What the page knows of a method beside its component. */
export interface Kind extends CardKind {
  /** On the chip, and in what is said aloud. */
  readonly name: string;
  /** For a notification: what is wanted, in one line. Nothing of it is a secret. */
  headline(params: JsonObject): string;
}

/** The page hosts no terminal, no preview and no tour: it says so, and other windows may answer. */
const NOT_HERE: CardKind = {
  arrive: () => ({ decline: { code: -32004, message: 'this page does not show that session' } }),
};

const secret = (name: string, headline: Kind['headline']): Kind => ({ name, headline, secret: true });
const named = (params: JsonObject, field: string, otherwise: string): string => textOf(params[field]) || otherwise;

const KINDS: Readonly<Record<string, Kind>> = {
  approval: {
    name: 'Approval',
    headline: (params) => named(params, 'description', named(params, 'command', 'A command wants to run.')),
  },
  clarify: {
    ...personKinds['clarify'],
    name: 'Question',
    headline: (params) => clarifyPrompts('', params)[0]?.question ?? 'Something is not clear.',
  },
  setup_choose: { name: 'Setup', headline: (params) => named(params, 'question', 'Something is to be chosen.') },
  'mcp.setup': { name: 'Consent', headline: (params) => named(params, 'consent', 'A server is to be set up.') },
  sudo: secret('Password', () => 'A command needs your administrator password.'),
  secret: secret('Secret', (params) => `A value for ${named(params, 'env_var', 'a secret')} is needed.`),
  'vault.unlock_prompt': secret('Vault', (params) => `${named(params, 'display_name', 'A vault')} is to be unlocked.`),
  'vault.code': secret('Code', (params) => `A code for ${named(params, 'site', 'a site')} is needed.`),
  'vault.save_login': secret('Login', (params) => `A login for ${named(params, 'site', 'a site')} is to be saved.`),
  'display.install.sudo': secret('Password', () => 'An installation needs your administrator password.'),
};

export const kindOf = (method: string): Kind | undefined => (Object.hasOwn(KINDS, method) ? KINDS[method] : undefined);

/** For the channel: whatever has no row is not for this page. */
export const cardKinds: CardKinds = {
  ask: {},
  ...KINDS,
  'terminal.read': NOT_HERE,
  'preview.read': NOT_HERE,
  'preview.act': NOT_HERE,
  'window.read': NOT_HERE,
  tour: NOT_HERE,
};
