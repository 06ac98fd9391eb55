import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openBrowser } from '../../src/cli/browser.ts';
import { usePage } from '../host/browser.ts';

const t = usePage();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'readback-open-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.runIf(process.platform === 'linux')(
  'the file that the browser is given leads to the page, signed in',
  async () => {
    writeFileSync(join(folder, 'xdg-open'), '#!/bin/sh\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    expect(openBrowser(t.bench.host.link, { DISPLAY: ':0' }, folder)).toBe(true);
    const page = await t.context.newPage();
    await page.goto(pathToFileURL(join(folder, 'open.html')).href);
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(page.url().startsWith(t.bench.host.url)).toBe(true);
  },
);
