/** Opens a link in the browser of this desktop. The link holds the token, so nothing prints or logs it here. */

import { spawn } from 'node:child_process';

type Env = Readonly<Record<string, string | undefined>>;

/** Whether there is a display that a browser could appear on. */
export function hasDisplay(env: Env, platform: NodeJS.Platform = process.platform): boolean {
  if (platform === 'darwin' || platform === 'win32') return (env.SSH_CONNECTION ?? '') === '';
  return (env.DISPLAY ?? '') !== '' || (env.WAYLAND_DISPLAY ?? '') !== '';
}

/** True when a browser was started; false when there is no display. It may still fail to show the page. */
export function openBrowser(link: string, env: Env): boolean {
  if (!hasDisplay(env)) return false;
  const [program, args] = opener(process.platform, link);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.on('error', () => {});
  child.unref();
  return true;
}

function opener(platform: NodeJS.Platform, link: string): [string, string[]] {
  if (platform === 'darwin') return ['open', [link]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', link]];
  return ['xdg-open', [link]];
}
