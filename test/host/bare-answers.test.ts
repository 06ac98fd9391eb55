import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReadbackError } from '../../src/errors.ts';
import { HOST_BOUNDS } from '../../src/host/bounds.ts';
import { makeRig } from './real-rig.ts';
import { type Bench, COLOURS, openAsk, requestId, startBench, TestSocket, until } from './support.ts';

let bench: Bench;
let askId: string;
let page: TestSocket;
let other: TestSocket;

beforeEach(async () => {
  bench = await startBench({ rig: await makeRig() });
  ({ askId } = await openAsk(bench.rig, COLOURS));
  page = await new TestSocket(bench.host).open('w1');
  other = await new TestSocket(bench.host).open('w2');
});

afterEach(() => bench.close());

const give = (result: unknown, from = page, id = requestId(askId)): void => from.send({ jsonrpc: '2.0', id, result });
const refusals = (from = page) => from.events('request.refused');

async function oneRefusal(from = page) {
  await until(() => refusals(from).length > 0);
  await from.request('ping', {});
  expect(refusals(from)).toHaveLength(1);
  return refusals(from)[0];
}

test.each([
  ['an option that was never offered', { selected: ['never'] }, 'result.selected.0'],
  ['nothing at all', {}, 'result'],
  ['a text that the card does not take', { text: 'mine' }, 'result.text'],
  ['another form', { selected: 'r' }, 'result.selected'],
  ['no object', 'r', 'result'],
])(
  '[RQ-R40] a bare answer that does not fit, %s: its page alone is told why, and the card stays open',
  async (_name, result, field) => {
    give(result);
    const data = { code: 'invalid_input', field, retry: false };
    expect(await oneRefusal()).toMatchObject({ id: requestId(askId), error: { code: 4002, data } });
    const { error } = (await oneRefusal()) as { error: { message: string } };
    expect(error.message).toContain('Nothing was changed. Correct the named field');
    expect((await bench.rig.asking.show(askId))?.state).toBe('open');
    await other.request('ping', {});
    expect(refusals(other)).toEqual([]);
    // As the acknowledged form is told.
    const replied = await page.request('request.answer', {
      id: requestId(askId),
      result: result === 'r' ? {} : result,
    });
    expect(replied.error).toMatchObject({ code: 4002, data: { field: `params.${field}` } });
  },
);

test('[RQ-R40] one that cannot be saved is told so, and may be given again', async () => {
  const { answer } = bench.rig.asking;
  bench.rig.asking.answer = () => Promise.reject(new ReadbackError('disk_full', 'The disk is full.'));
  give({ selected: ['g'] });
  expect(await oneRefusal()).toMatchObject({ error: { code: -32000, data: { code: 'disk_full', retry: true } } });
  bench.rig.asking.answer = answer;
  give({ selected: ['g'] });
  await until(async () => (await bench.rig.asking.show(askId))?.state === 'answered');
  expect(refusals()).toHaveLength(1);
});

test('[RQ-R40] a crash is told as one, and quotes nothing', async () => {
  bench.rig.asking.answer = () => Promise.reject(new Error('secret-in-a-message'));
  give({ selected: ['g'] });
  expect(await oneRefusal()).toMatchObject({ error: { code: -32000, data: { code: 'internal', retry: false } } });
  expect(JSON.stringify(page.messages)).not.toContain('secret-in-a-message');
});

test('[RQ-R40] one of a page that has not named its window is told how to be heard', async () => {
  const nameless = await new TestSocket(bench.host).greeted();
  give({ selected: ['g'] }, nameless);
  expect(await oneRefusal(nameless)).toMatchObject({ error: { code: 4006, data: { retry: true } } });
  expect((await bench.rig.asking.show(askId))?.state).toBe('open');
});

test('[RQ-R40] one more than a page may have under way is told so', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { answer } = bench.rig.asking;
  bench.rig.asking.answer = async (...args) => {
    await held;
    return answer.apply(bench.rig.asking, args);
  };
  for (let n = 0; n <= HOST_BOUNDS.inFlight; n += 1) give({ selected: ['never'] });
  expect(await oneRefusal()).toMatchObject({ error: { code: -32000, data: { code: 'busy', retry: true } } });
  release();
  await until(() => refusals().length === HOST_BOUNDS.inFlight + 1);
});

test('[RQ-R40] one for a card that is over gets no word of its own: every page was told of the end', async () => {
  give({ selected: ['g'] });
  await until(() => other.events('request.settled').length + other.events('request.cancel').length > 0);
  give({ selected: ['b'] }, other);
  give({ selected: ['r'] }, page, 'srq-000000000000');
  for (const one of [page, other]) await one.request('ping', {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([...refusals(), ...refusals(other)]).toEqual([]);
});
