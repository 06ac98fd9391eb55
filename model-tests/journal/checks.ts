/** One checker an invariant of journal.md section 6. Each judges the step just made; null means that it holds. */
import { everything } from './compare.ts';
import { type Entry, hasCopy, numberOf } from './host.ts';
import type { World } from './world.ts';

export type Check = (world: World) => string | null;

const first = (faults: readonly string[]): string | null => faults[0] ?? null;
const say = (entry: Entry): string =>
  `${entry.token} (${entry.state}, ${entry.correlation.status}, ${entry.provenance})`;

/** Every answer that left the file left a line that says so. */
export const checkI01: Check = (world) => {
  const { lines, removed } = world.step;
  const faults: string[] = [];
  const quiet = lines.filter((line) => line.level === 'debug').length;
  const proven = removed.filter(({ entry, forgotten }) => entry.acked && !forgotten).length;
  if (quiet < proven) faults.push(`${proven} proven answers evicted, ${quiet} debug lines`);
  for (const { entry, forgotten } of removed) {
    const lined = lines.filter((line) => line.text.includes(entry.answer));
    if (forgotten && !lined.some((line) => line.during === 'forget' && line.level === 'warn' && line.written)) {
      faults.push(`${say(entry)} was forgotten without a line that was written`);
    }
    if (!forgotten && !entry.acked && !lined.some((line) => line.level === 'error')) {
      faults.push(`${say(entry)} was evicted without its text at error`);
    }
  }
  return first(faults);
};

export const checkI02: Check = (world) => {
  const { book } = world;
  const owed = world.slots.reduce((sum, slot) => sum + world.journal.droppedFor(slot.name), 0);
  const ended = book.count('told') + book.count('cancelled') + book.count('surfaced');
  if (book.all.length === ended + owed) return null;
  return `noted ${book.all.length}, ended ${ended}, owed by the journal ${owed}`;
};

export const checkI03: Check = (world) => {
  const faults: string[] = [];
  for (const slot of world.slots) {
    const truth = world.book.open(slot).length;
    const owed = world.journal.droppedFor(slot.name);
    if (owed !== truth) faults.push(`${slot.name} owes ${owed}, but ${truth} were never told, cancelled or surfaced`);
  }
  for (const { payload, losses, token } of world.step.offers) {
    if (losses.includes(payload.dropped_answers ?? 0)) continue;
    faults.push(
      `payload of ${token} counts ${payload.dropped_answers}, owed and not displayed: ${losses.join(' or ')}`,
    );
  }
  for (const { got, may } of world.step.reports) {
    if (!may.includes(got)) faults.push(`reported ${got}, owed and not displayed: ${may.join(' or ')}`);
  }
  return first(faults);
};

export const checkI04: Check = (world) => {
  const faults = world.step.outlets.flatMap(({ via, entry, cardLive, onCardTab, slot }) =>
    cardLive && onCardTab
      ? []
      : [`${via} on ${slot.name}: ${say(entry)}, card ${cardLive ? 'of another tab' : 'replaced'}`],
  );
  for (const { askerLive, result } of world.step.recoveries) {
    if (askerLive || result.status === 'none') continue;
    if (result.status === 'recovered' || result.others.length > 0)
      faults.push('an asker of a replaced conversation got one');
  }
  return first(faults);
};

export const checkI05: Check = (world) => {
  if (!world.config.resolver) return null;
  return first(
    world.step.outlets.flatMap(({ via, entry, given, occupant }) => {
      const card = given?.card;
      const drawn = card?.occupantSure === true ? card.occupant : undefined;
      const honest =
        drawn === undefined
          ? given?.arrivals.has(entry.incarnation) || card?.occupant === entry.incarnation
          : drawn === entry.incarnation;
      const fits = occupant !== undefined && entry.incarnation === occupant && honest;
      return fits ? [] : [`${via}: ${say(entry)} of ${entry.incarnation}, drawn for ${drawn}, shown to ${occupant}`];
    }),
  );
};

export const checkI06: Check = (world) => {
  const faults: string[] = [];
  for (const { result, fingerprint, tab, age } of world.step.recoveries) {
    if (result.status !== 'recovered') continue;
    const card = world.given.get(result.entry.token)?.card;
    if (card?.fingerprint !== fingerprint) faults.push(`${say(result.entry)} was given to ${card?.question}`);
    if (result.entry.key !== tab) faults.push(`${say(result.entry)} is on ${result.entry.key}, not ${tab}`);
    if (age > world.limits.recoverForMs) faults.push(`${say(result.entry)} is ${age} ms old`);
  }
  return first(faults);
};

export const checkI07: Check = (world) => {
  const { outlets, attached } = world.step;
  const faults = outlets.flatMap(({ via, entry }) => (entry.retired ? [`${via}: ${say(entry)}`] : []));
  for (const { entry, disclosable } of attached) {
    if (entry.retired || !disclosable) faults.push(`${say(entry)} was offered to a turn`);
  }
  for (const entry of world.views.values()) {
    if (entry.retired && entry.delivery !== 'none') faults.push(`${say(entry)} is armed`);
  }
  return first(faults);
};

const FIXED = ['token', 'askId', 'question', 'answer', 'answeredAt', 'incarnation', 'provenance'] as const;
const RISING = ['ambiguousId', 'retired', 'returned', 'acked', 'replayHint'] as const;

export const checkI08: Check = (world) =>
  first(
    world.step.changes.flatMap(({ prev, cur, renamed }) => {
      const faults = FIXED.filter((field) => prev[field] !== cur[field]).map((field) => `${field} changed`);
      faults.push(...RISING.filter((field) => prev[field] && !cur[field]).map((field) => `${field} was unset`));
      if (prev.correlation.status === 'foreign' && cur.correlation.status === 'matched') faults.push('label regained');
      if (!prev.recoverable && cur.recoverable) faults.push('licence regained');
      if (cur.fingerprint !== null && prev.fingerprint !== cur.fingerprint) faults.push('fingerprint changed');
      if (prev.key !== cur.key && !renamed) faults.push('tab changed');
      return faults.map((fault) => `${say(cur)}: ${fault}`);
    }),
  );

export const checkI09: Check = (world) =>
  first(
    [...world.views.values()].flatMap((entry) => {
      const matched = entry.correlation.status === 'matched';
      if (entry.recoverable !== (matched && !entry.retired)) return [`${say(entry)}: licence ${entry.recoverable}`];
      return entry.ambiguousId && matched ? [`${say(entry)} is ambiguous and matched`] : [];
    }),
  );

export const checkI10: Check = (world) =>
  first(
    world.step.changes.flatMap(({ prev, cur, proved }) =>
      prev.acked || !cur.acked || proved ? [] : [`${say(cur)} is proven by nobody's receipt`],
    ),
  );

export const checkI11: Check = (world) => {
  const never = [...world.views.values()].find((entry) => entry.acked && !world.handed.has(entry.token));
  return never === undefined ? null : `${say(never)} is proven and was never handed over`;
};

/** The promise needs a host whose hand-backs are true. */
export const checkI12: Check = (world) => {
  const held = world.slots.flatMap((slot) => [
    ...slot.queue,
    ...[slot.turn, ...slot.older].flatMap((turn) => turn?.copies ?? []),
  ]);
  const tokens = held.map((copy) => copy.token).filter((token) => !world.misused.has(token));
  const twice = tokens.find((token, at) => tokens.indexOf(token) !== at);
  return twice === undefined ? null : `two queue copies of ${twice}`;
};

export const checkI13: Check = (world) =>
  first(
    world.step.offers.flatMap(({ token, before, afterRefusal }) => {
      if (afterRefusal) return [`${token} offered after a refusal`];
      const last = before.at(-1);
      return last === undefined || numberOf(last) < numberOf(token) ? [] : [`${token} offered after ${last}`];
    }),
  );

export const checkI14: Check = (world) =>
  first(
    world.step.changes.flatMap(({ prev, cur }) =>
      prev.delivery === 'none' || cur.delivery !== 'none' || cur.acked || cur.retired
        ? []
        : [`${say(cur)} was owed a push`],
    ),
  );

export const checkI15: Check = (world) => {
  const { journal, slots } = world;
  if (journal.hasOutstanding()) return null;
  const slot = slots.find((one) => journal.pending(one.name).length > 0 || journal.droppedFor(one.name) > 0);
  return slot === undefined ? null : `the gate is open, ${slot.name} is owed something`;
};

export const checkI16: Check = (world) => {
  const debts = world.journal.outstandingDebt();
  if (debts.some((debt) => debt.count < 1)) return 'a count below 1';
  if (new Set(debts.map((debt) => debt.key)).size !== debts.length) return 'a tab twice';
  const wrong = world.slots.find(
    (slot) => (debts.find((debt) => debt.key === slot.name)?.count ?? 0) !== world.journal.droppedFor(slot.name),
  );
  if (wrong !== undefined) return `${wrong.name} differs from droppedFor`;
  const strange = debts.find((debt) => world.slot(debt.key) === undefined);
  return strange === undefined ? null : `debt on ${strange.key}, which is no tab any more`;
};

export const checkI18: Check = (world) =>
  first(world.step.pairs.flatMap(({ first: a, second: b }) => (a === b ? [] : [`the same answer is ${a} and ${b}`])));

export const checkI19: Check = (world) => {
  const short = [...world.texts].find(([id, texts]) => (world.created.get(id) ?? 0) < texts.size);
  return short === undefined
    ? null
    : `${short[1].size} texts for ${short[0]}, entries ${world.created.get(short[0]) ?? 0}`;
};

export const checkI20: Check = (world) =>
  first(
    world.step.recoveries.flatMap(({ result, onFile, undisclosable }) => {
      if (result.status !== 'unattributed') return [];
      const told = result.others.length + result.withheld;
      if (told !== onFile) return [`others and withheld are ${told}, on file ${onFile}`];
      return undisclosable === 0 ? [] : [`${undisclosable} of others may not be disclosed`];
    }),
  );

export const checkI21: Check = (world) => {
  const counts = world.slots.map((slot) => world.journal.entriesFor(slot.name).length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > world.limits.entriesTotal) return `${total} entries`;
  const most = Math.max(...counts);
  return most > world.limits.entriesPerTab ? `${most} entries on a tab` : null;
};

export const checkI22: Check = (world) => {
  const open = world.ids.filter((id) => world.journal.ticketFor(id) !== undefined).length;
  return open > world.limits.tickets ? `${open} tickets` : null;
};

export const checkI23: Check = (world) => {
  const said = world.journal.allOutstanding().map((entry) => entry.token);
  const truth = [...world.views.values()].filter((entry) => !entry.acked).map((entry) => entry.token);
  truth.sort((a, b) => numberOf(a) - numberOf(b));
  return said.join() === truth.join() ? null : `said ${said.join()}, on file ${truth.join()}`;
};

export const checkI24: Check = (world) => {
  if (new Set(world.tokens).size !== world.tokens.length) return 'a token twice';
  return first(world.step.disorder);
};

export const checkI25: Check = (world) => {
  const { journal, step } = world;
  const before = everything(world);
  const lines = step.lines.length;
  world.quietly(() => {
    for (const slot of world.slots) {
      for (const card of world.cards.slice(-2)) journal.recover(slot.name, card.fingerprint, card.id);
      for (const entry of journal.entriesFor(slot.name)) journal.mayDisclose(entry);
    }
    journal.tracks('pa-x');
    journal.askBelongsToLiveConversation('pa-never');
    journal.recover('tab-never', 'x');
  });
  if (step.lines.length !== lines) return 'a question wrote a line';
  const after = everything(world);
  return before === after ? null : `${before} then ${after}`;
};

export const checkI26: Check = (world) => first(world.step.doubled);

export const checkI28: Check = (world) => first(world.step.spilled);

export const checkI30: Check = (world) => {
  const missing = world.step.missing[0];
  if (missing !== undefined) return `${missing} is not on file`;
  const thrown = world.step.thrown.find((one) => !one.allowed);
  return thrown === undefined ? null : `${thrown.from} threw ${thrown.message}`;
};

export const checkI32: Check = (world) => {
  for (const { payload, entry, token } of world.step.offers) {
    if (entry === undefined) return `${token} offered and not on file`;
    if (payload.ask_correlation !== entry.correlation.status) return `${say(entry)} worded ${payload.ask_correlation}`;
    if (payload.ask_question !== entry.question) return `${say(entry)} shows another question`;
    const asked = world.given.get(token)?.card?.question;
    if (payload.ask_question !== null && payload.ask_question !== asked) return `${token} was given to ${asked}`;
  }
  if (world.config.revoker !== 'truthful') return null;
  const stale = world.slots
    .flatMap((slot) => slot.queue)
    .find((copy) => {
      const entry = world.views.get(copy.token);
      if (entry === undefined || !copy.fetchable || world.out.get(copy.token) !== copy) return false;
      return copy.payload.ask_correlation === 'matched' && entry.correlation.status === 'foreign' && hasCopy(entry);
    });
  return stale === undefined ? null : `a copy of ${stale.token} worded matched is still unread`;
};

/** Arming is what is forbidden; an entry armed before may be offered while a later handler of a reused id waits. */
export const checkI33: Check = (world) => {
  for (const { prev, cur, waiting } of world.step.changes) {
    if (waiting > 0 && prev.delivery === 'none' && cur.delivery !== 'none') return `${say(cur)} armed, ${waiting} wait`;
  }
  const born = world.step.born.find(({ entry, waiting }) => waiting > 0 && entry.delivery !== 'none');
  return born === undefined ? null : `${say(born.entry)} born armed, ${born.waiting} wait`;
};
