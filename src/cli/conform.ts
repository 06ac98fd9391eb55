/** `readback conform`: does a journal, a store or another part of your own keep the rules? All rules, then what broke. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CONFORM } from '../limits.ts';
import { conformModule, type Fault, type Findings, type Result } from './conform-run.ts';
import { type Global, type Io, json, paint } from './io.ts';
import { EXIT, usage } from './problem.ts';
import { clip, line, wrap } from './text.ts';

export type ConformFlags = Global;

export interface RuleFinding {
  readonly contract: string;
  readonly rule: string;
  readonly state: 'held' | 'broken' | 'untried';
  /** How many tests show it. */
  readonly tests: number;
  /** Of a broken rule: the test that broke after the fewest steps. Those of a path are all needed; others are as written. */
  readonly broken?: { readonly title: string; readonly message: string; readonly steps: readonly string[] } | undefined;
  /** Why it was not tried. */
  readonly why?: string | undefined;
}

/** Exit code 0 when every rule that was tried held and nothing kept a contract from being tried, else 1. */
export async function conform(io: Io, module: string, flags: ConformFlags): Promise<number> {
  const child = join(dirname(io.entry), '..', 'testing', 'child.js');
  const findings = await conformModule(child, addressOf(module), io.interrupted());
  const rules = rulesOf(findings);
  const isOk = findings.faults.length === 0 && rules.every(({ state }) => state !== 'broken');
  if (flags.json === true) await json(io, { ok: isOk, module, faults: findings.faults, rules });
  else await io.out(view(io, findings.faults, rules));
  return isOk ? EXIT.ok : EXIT.error;
}

/** A file of this folder, or a package that is installed here. */
function addressOf(module: string): string {
  const path = resolve(module);
  if (existsSync(path)) return pathToFileURL(path).href;
  try {
    return pathToFileURL(createRequire(resolve('package.json')).resolve(module)).href;
  } catch {
    throw usage('module', `there is no file and no package ${module}`, 'name a JavaScript file, such as ./journal.js');
  }
}

/** UTF-16 units of the longest id of a rule; what is longer is a title. */
const ID_LENGTH = 10;
/** Rules beside one reason, as a number; more are counted. */
const NAMED = 8;
const WORST = { broken: 0, held: 1, untried: 2 } as const;

/** The findings by rule; of each contract those with ids in their order. */
export function rulesOf({ tests, results }: Findings): RuleFinding[] {
  const found = new Map<string, RuleFinding>();
  tests.forEach(({ contract, title, rules }, at) => {
    const result = results[at] as Result;
    for (const rule of rules) {
      const key = `${contract} ${rule}`;
      const before = found.get(key);
      const next = before ?? { contract, rule, state: result.outcome, tests: 0, why: result.message };
      const state = WORST[result.outcome] < WORST[next.state] ? result.outcome : next.state;
      const broken = result.outcome === 'broken' ? shorter(before?.broken, title, result) : before?.broken;
      const why = state === 'untried' ? next.why : undefined;
      found.set(key, { contract, rule, state, tests: next.tests + 1, broken, why });
    }
  });
  const order = [...new Set(tests.map(({ contract }) => contract))];
  const place = ({ contract }: RuleFinding): number => order.indexOf(contract);
  const isLong = (rule: string): boolean => rule.length > ID_LENGTH;
  return [...found.values()].sort((a, b) => {
    if (place(a) !== place(b)) return place(a) - place(b);
    return isLong(a.rule) || isLong(b.rule) ? 0 : a.rule.localeCompare(b.rule, 'en', { numeric: true });
  });
}

function shorter(before: RuleFinding['broken'], title: string, result: Result): RuleFinding['broken'] {
  const now = { title, message: result.message ?? '', steps: result.steps ?? [] };
  return before !== undefined && lengthOf(before.steps) <= lengthOf(now.steps) ? before : now;
}

/** No steps at all says nothing of how it broke: it is longer than any. */
const lengthOf = (steps: readonly string[]): number => (steps.length === 0 ? Number.MAX_VALUE : steps.length);

const MARKS = { held: 'held', broken: 'BROKEN', untried: 'not tried' } as const;
const STYLES = { held: 'green', broken: 'red', untried: 'dim' } as const;

function view(io: Io, faults: readonly Fault[], rules: readonly RuleFinding[]): string {
  const ink = paint(io);
  const out: string[] = [];
  for (const { contract, message } of faults) {
    out.push(`${ink('red', 'not tried')}  ${contract ?? 'this module'}: ${line(message)}`);
  }
  for (const contract of new Set(rules.map((rule) => rule.contract))) {
    const mine = rules.filter((rule) => rule.contract === contract);
    const count = (state: RuleFinding['state']): number => mine.filter((rule) => rule.state === state).length;
    out.push('', ink('bold', contract), ...matrix(io, mine), ...untried(io, mine));
    const broken = breaches(mine);
    if (broken.length > 1) out.push('', ink('dim', 'What broke, shortest first; each with the rules that it shows:'));
    const ids = new Set(mine.map(({ rule }) => rule));
    for (const breach of broken) out.push('', ...shown(io, breach, ids));
    if (broken.some((breach) => STRAY.test(breach.broken.message))) out.push('', ...wrap(UNBOUND, io.columns));
    const counts = `${count('held')} held, ${count('broken')} broken, ${count('untried')} not tried`;
    out.push('', `${contract}: ${mine.length} rules: ${counts}`);
  }
  return `${out.join('\n').trimStart()}\n`;
}

const idsOf = (rules: readonly string[]): string => rules.filter((rule) => rule.length <= ID_LENGTH).join(', ');

/** Each reason once, with its rules if they are few. */
function untried(io: Io, rules: readonly RuleFinding[]): string[] {
  const reasons = new Map<string, string[]>();
  for (const { rule, state, why = '' } of rules) {
    if (state === 'untried') reasons.set(why, [...(reasons.get(why) ?? []), rule]);
  }
  return [...reasons].flatMap(([why, own]) => {
    const named = own.length <= NAMED && own.every((rule) => rule.length <= ID_LENGTH);
    const which = named ? idsOf(own) : `${own.length} rule${own.length === 1 ? '' : 's'}`;
    const words = `not tried: ${which}: ${why === '' ? 'no reason was given' : line(why)}`;
    return ['', ...wrap(words, io.columns - 2).map((text) => `  ${paint(io)('dim', text)}`)];
  });
}

interface Breach {
  readonly broken: NonNullable<RuleFinding['broken']>;
  readonly rules: string[];
}

/** The broken tests, the one with the fewest steps first: several rules may be told by one. */
function breaches(rules: readonly RuleFinding[]): Breach[] {
  const found = new Map<string, Breach>();
  for (const { rule, broken } of rules) {
    if (broken === undefined) continue;
    const known = found.get(broken.title) ?? { broken, rules: [] };
    known.rules.push(rule);
    found.set(broken.title, known);
  }
  return [...found.values()].sort((a, b) => lengthOf(a.broken.steps) - lengthOf(b.broken.steps));
}

/** Rules with ids stand in columns; those that are known by their titles have a line each. */
function matrix(io: Io, rules: readonly RuleFinding[]): string[] {
  const ink = paint(io);
  const isLong = rules.some(({ rule }) => rule.length > ID_LENGTH);
  const cell = ({ rule, state }: RuleFinding): string =>
    isLong
      ? `  ${ink(STYLES[state], MARKS[state].padEnd(9))}  ${clip(line(rule), io.columns - 14)}`
      : `  ${line(rule).padEnd(8)}${ink(STYLES[state], MARKS[state].padEnd(9))}`;
  if (isLong) return rules.map(cell);
  const across = Math.max(1, Math.floor(io.columns / 19));
  const rows = Math.ceil(rules.length / across);
  return Array.from({ length: rows }, (_, row) =>
    rules
      .filter((__, at) => at % rows === row)
      .map(cell)
      .join('')
      .trimEnd(),
  );
}

/** What the engine says where a method of a class runs on another object. */
const STRAY = /private member #|Receiver must be/;
const UNBOUND =
  'A method ran with another object as its "this". A Proxy, or a wrapper that copies methods, has to bind each to the object that it belongs to.';

/** The rules that are told here stand before the title. */
const withoutIds = (title: string, ids: ReadonlySet<string>): string =>
  title.replace(/\[([^\]]*)\] */g, (whole, named: string) =>
    named.split(/[, ]+/).every((id) => ids.has(id)) ? '' : whole,
  );

function shown(io: Io, { broken, rules }: Breach, ids: ReadonlySet<string>): string[] {
  const ink = paint(io);
  const { title, message, steps } = broken;
  const width = io.columns - 6;
  const left = steps.length - CONFORM.steps;
  return [
    `${ink('red', 'BROKEN')} ${[idsOf(rules), line(withoutIds(title, ids))].filter((words) => words !== '').join('  ')}`,
    ...wrap(line(message), width).map((words) => `    ${words}`),
    ...steps.slice(-CONFORM.steps).map((step, at) => {
      const number = String(at + 1 + Math.max(left, 0)).padStart(4);
      return `${ink('dim', number)}  ${clip(line(step), width)}`;
    }),
    ...(left > 0 ? [`      (after ${left} before these)`] : []),
  ];
}
