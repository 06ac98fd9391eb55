/** Seeded defects of every part: each is named by its rule, with the steps that led there. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { type Trial, trialsOf, tried, type Verdict } from '../../src/testing/contracts.ts';
import { handIo } from '../cli/hand-io.ts';

vi.setConfig({ testTimeout: 60_000 });
const ENTRY = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const BROKEN = new URL('./broken/all.mjs', import.meta.url);
const FOLDER = dirname(fileURLToPath(BROKEN));
const all = (await import(BROKEN.href)) as Record<string, unknown>;

/** Each seeded defect with the rule that names it: by its id, or by its title where the contract has no ids. */
const DEFECTS = {
  journal: {
    'any carrier proves': 'J-R123',
    'a double answer is journaled twice': 'J-R050',
    'recovered on another tab': 'J-R094',
    'a retired answer is recovered': 'J-R095',
    'an eviction is silent': 'J-R206',
    'the newest is delivered first': 'J-R105',
    'a hand-back loses the answer': 'J-R132',
    'a boundary is ignored': 'J-R187',
    'a long answer is cut': 'J-R028',
    'the options are not part of the question': 'J-R018',
  },
  store: {
    'numbers are counted from what is there': 'counters never give a number twice, whatever is forgotten',
    'the newest answer goes first': 'bounds take the proven first, then the retired, the returned, and all others',
    'an answer is given out as a copy': 'the same holder is given out for the same answer',
    'what lost its licence is found': 'only what is licensed is found by its question',
    'a finished card is still open': 'an open ticket is on every open list, and a finished one on none',
    'a rollback keeps what was staged': 'a rollback forgets answers in every place',
    'the outbox gives its numbers again': 'the outbox holds what is not done, in order, under ids of its own',
    'closing loses a kind of rows': 'closing keeps kept rows',
  },
  channel: {
    'each greeting is answered': 'RQ-R118',
    'the last handler owns': 'RQ-R119',
    'a crash of a handler is silent': 'RQ-R120',
    'a crash is told in its own words': 'RQ-R120',
    'an answer leaves each time': 'RQ-R121',
    'what did not leave counts as said': 'RQ-R122',
    'a receipt is passed over': 'RQ-R105',
    'a flood is taken': 'a flood is declined beyond the bound',
  },
  requests: {
    'an answer of any shape is taken': 'RQ-R38',
    'a secret is kept': 'RQ-R105',
    'a stranger may answer': 'RQ-R39',
    'told before it is on file': 'the row is on file before the frame leaves',
    'nothing is left after a restart': 'F1',
    'one session takes back all': 'RQ-R50',
    'an owner is called twice': 'RQ-R28',
    'a deadline is forgotten': 'RQ-R16',
    'who cannot answer is asked': 'RQ-R67',
    'the first lock ends a batch': 'RQ-R49',
    'the cards of a dead child stay': 'RQ-R113',
  },
  tools: {
    'a call runs twice': 'TL-R50',
    'what the provider answers runs': 'TL-R62',
    'a result is reported twice': 'TL-R03',
    'whoever runs hears of no abort': 'TL-R53',
    'history runs': 'TL-R02',
    'a gate is passed': 'TL-R61',
    'null is no result': 'TL-R60',
    'a reset forgets nothing': 'TL-R112',
    'what waits is not discarded': 'TL-R104',
    'a question is resumed again': 'TL-R80',
  },
  lineage: {
    'a break is passed over': 'SE-R57',
    'every walk may be long': 'SE-R60',
    'what has no kind is ordinary': 'SE-R68',
    'what cannot be read is on the branch': 'SE-R66',
    'another log is only moved off': 'SE-R61',
    'a break does not stop who asks for it': 'SE-R58',
    'the anchor is read though it is the leaf': 'SE-R53',
    'what a reader throws comes through': 'SE-R62',
  },
} as const;

const PARTS = Object.entries(DEFECTS);
/** Ids count as a whole; a title is named by its words. */
const shows = ({ rules, title }: Trial, rule: string): boolean => rules.includes(rule) || title.includes(rule);
const hasId = (rule: string): boolean => /\d$/.test(rule);

describe.each(PARTS)('a broken copy of the %s', (part, defects) => {
  const { trials, faults } = trialsOf({ [part]: all[part] });

  it.each(Object.entries(defects))('%s: alone, it is named by %s', async (defect, rule) => {
    expect(faults).toEqual([]);
    const own = trials.filter((trial) => shows(trial, rule));
    const each = async (seeded: string, patience?: () => AbortSignal): Promise<Verdict[]> => {
      vi.stubEnv('READBACK_DEFECTS', seeded);
      const verdicts: Verdict[] = [];
      for (const trial of own) verdicts.push(await tried(trial, patience?.()));
      return verdicts;
    };
    const broken = (await each(defect, () => AbortSignal.timeout(500))).filter(({ outcome }) => outcome === 'broken');
    expect(broken.length).toBeGreaterThan(0);
    // A pure function is broken without a single call of its part.
    if (rule !== 'J-R018') expect(broken.some(({ steps = [] }) => steps.length > 0)).toBe(true);
    expect(await each('none')).toEqual(own.map(() => ({ outcome: 'held' })));
  });
});

describe('generated paths', () => {
  it.each([
    ['journal', 'a hand-back loses the answer', 'path to answer: delivery.handed_off on HANDBACK['],
    ['requests', 'the first lock ends a batch', 'path to request: pristine on LOCK[3] -> partial'],
    ['requests', 'a deadline is forgotten', 'path to request: partial on DEADLINE[0] -> timed_out'],
    ['channel', 'a receipt is passed over', 'path to card: unconfirmed on ACK_EXPIRED[1] -> withdrawn'],
    ['channel', 'what did not leave counts as said', 'path to card: unconfirmed on NOT_SENT[1] -> detached'],
  ] as const)('of the %s name the defect "%s" with "%s"', async (part, defect, path) => {
    const own = trialsOf({ [part]: all[part] }).trials.filter(({ title }) => title.includes(path));
    const outcomes = async (seeded: string): Promise<string[]> => {
      vi.stubEnv('READBACK_DEFECTS', seeded);
      const verdicts: Verdict[] = [];
      for (const trial of own) verdicts.push(await tried(trial));
      return verdicts.map(({ outcome }) => outcome);
    };
    expect(await outcomes(defect)).toContain('broken');
    expect(await outcomes('none')).toEqual(own.map(() => 'held'));
  });
});

interface Report {
  readonly ok: boolean;
  readonly faults: readonly unknown[];
  readonly rules: readonly {
    readonly contract: string;
    readonly rule: string;
    readonly state: string;
    readonly broken?: { readonly title: string; readonly message: string; readonly steps: readonly string[] };
  }[];
}

describe('readback conform, with every defect', () => {
  async function conform(name: string, ...flags: string[]) {
    const io = handIo(FOLDER, { entry: ENTRY });
    const code = await run(io, ['conform', join(FOLDER, name), ...flags]);
    return { code, ...io.written };
  }

  it('names each rule of every part, what broke it and the shortest sequence that led there', async () => {
    const { code, out } = await conform('all.mjs', '--json');
    const report = JSON.parse(out) as Report;
    expect([code, report.ok, report.faults]).toEqual([1, false, []]);
    for (const [part, defects] of PARTS) {
      for (const rule of Object.values(defects)) {
        const found = report.rules.filter((one) => one.contract === part && one.rule.includes(rule));
        const broken = found.find(({ state }) => state === 'broken')?.broken;
        expect(broken?.message, `${part} ${rule}`).toBeTruthy();
        if (hasId(rule)) expect(broken?.title).toContain(rule);
        if (rule !== 'J-R018') expect(broken?.steps.length, `${part} ${rule}`).toBeGreaterThan(0);
      }
    }
  });

  it('tells a path in the two steps that break it, not in the six that it has', async () => {
    vi.stubEnv('READBACK_DEFECTS', 'a boundary is ignored');
    const { out } = await conform('journal.mjs', '--json');
    const found = (JSON.parse(out) as Report).rules.find(({ rule }) => rule === 'J-R125')?.broken;
    expect(found?.title).toContain('path to answer: delivery.acked on BOUNDARY[0]');
    expect(found?.steps.map((step) => JSON.parse(step) as unknown)).toEqual([
      { do: 'record', id: 'pa-story-0', tab: 'two', text: 'yes' },
      { do: 'boundary', tab: 'two' },
    ]);
    expect(found?.message).toMatch(
      /^after step 2 of 2: at answers\[0\]: got .*none none foreign yes.*, wanted .*retired/,
    );
  });

  it.each([
    ['requests', 'the cards of a dead child stay', 'RQ-R113', 'relaying on CHILD_EXIT[0]', ['ask', 'exit']],
    ['tools', 'a gate is passed', 'TL-R53', 'phase.handedOver on START[0]', ['push']],
    ['channel', 'each greeting is answered', 'RQ-R130', 'live on SOCKET_LOST[0]', ['again']],
  ])('tells a path of the %s in the steps that are needed: "%s"', async (part, defect, wanted, path, steps) => {
    vi.stubEnv('READBACK_DEFECTS', defect);
    const { out } = await conform(`${part}.mjs`, '--json');
    const found = (JSON.parse(out) as Report).rules.find(({ rule }) => rule === wanted)?.broken;
    expect(found?.title).toContain(path);
    expect(found?.steps.map((step) => (JSON.parse(step) as { do: string }).do)).toEqual(steps);
  });

  it('is shown as a matrix with the steps of each broken rule', async () => {
    const { code, out, err } = await conform('requests.mjs');
    expect([code, err]).toEqual([1, '']);
    expect(out).toMatch(/ {2}BROKEN {5}RQ-R50\n/);
    expect(out).toMatch(/BROKEN (?:RQ-R\d+, )*RQ-R50\b.*\n( {4}.*\n)+ {3}1 {2}\w+\(/);
    expect(out).toMatch(/\nrequests: \d+ rules: \d+ held, \d+ broken, 0 not tried\n$/);
  });
});
