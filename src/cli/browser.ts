/**
 * Opens the page in the browser of this desktop. The link holds the token, so nothing prints or logs it here, and no
 * program is given it as an argument: those of every process can be read by every user of the machine.
 */

import { spawn } from 'node:child_process';
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Whether there is a display that a browser could appear on. */
export function hasDisplay(env: Env, platform: NodeJS.Platform = process.platform): boolean {
  if (platform === 'darwin' || platform === 'win32') return (env.SSH_CONNECTION ?? '') === '';
  return (env.DISPLAY ?? '') !== '' || (env.WAYLAND_DISPLAY ?? '') !== '';
}

/**
 * True when a browser was started; false when there is no display, or no file of this user's could be written in
 * `folder`. It may still fail to show the page.
 */
export function openBrowser(link: string, env: Env, folder: string): boolean {
  if (!hasDisplay(env)) return false;
  const file = writeRedirect(folder, link);
  if (file === undefined) return false;
  const [program, args] = opener(process.platform, file);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.on('error', () => {});
  child.unref();
  return true;
}

const redirectPath = (folder: string): string => join(folder, 'open.html');

/** Removes what a browser was sent through. */
export function removeRedirect(folder: string): void {
  rmSync(redirectPath(folder), { force: true });
}

function writeRedirect(folder: string, link: string): string | undefined {
  const path = redirectPath(folder);
  const draft = `${path}.${process.pid}`;
  const to = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const page = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="referrer" content="no-referrer">
  <meta http-equiv="refresh" content="0;url=${to}">
  <title>readback</title>
  <p><a href="${to}">Open readback</a></p>
</html>
`;
  try {
    writeFileSync(draft, page, { mode: 0o600 });
    // A draft that was left behind keeps the mode it had.
    chmodSync(draft, 0o600);
    renameSync(draft, path);
    return path;
  } catch {
    rmSync(draft, { force: true });
    return undefined;
  }
}

function opener(platform: NodeJS.Platform, file: string): [string, string[]] {
  if (platform === 'darwin') return ['open', [file]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', file]];
  return ['xdg-open', [file]];
}
