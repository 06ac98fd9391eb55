import { expect, test } from 'vitest';
import { HOST_BOUNDS } from '../../src/host/bounds.ts';
import { openWindow, usePage } from './browser.ts';
import { openAsk } from './support.ts';

const t = usePage();

test('a page says how many questions it does not show, and shows the next as one is answered', {
  timeout: 60_000,
}, async () => {
  const ids: string[] = [];
  for (let n = 0; n < HOST_BOUNDS.openCards + 2; n += 1) {
    ids.push((await openAsk(t.bench.rig, { question: `q${n}` }, { tab: `tab-${n}` })).askId);
  }
  const { page, complaints } = await openWindow(t.context, t.bench.host.link);
  await page.getByText('2 more questions are waiting; they appear as you answer.').waitFor();
  expect(await page.locator('#waiting').innerText()).toContain(String(ids.length));
  const shown = await page.locator('[data-ask]').evaluateAll((all) => all.map((one) => one.getAttribute('data-ask')));
  const untold = ids.filter((id) => !shown.includes(id));
  expect(untold).toHaveLength(2);
  await t.bench.rig.asking.withdraw(ids[0] ?? '', 'enough', { surface: 'test' });
  await t.card(untold[0] ?? '', page).waitFor();
  await page.getByText('1 more question is waiting; it appears as you answer.').waitFor();
  await t.bench.rig.asking.withdraw(ids[1] ?? '', 'enough', { surface: 'test' });
  await t.card(untold[1] ?? '', page).waitFor();
  await page.locator('.more').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});
