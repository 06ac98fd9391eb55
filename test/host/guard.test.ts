import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHost } from '../../src/host/index.ts';
import { type Bench, call, startBench, TestSocket } from './support.ts';

let bench: Bench;
const lines: string[] = [];
const note = (...args: unknown[]) => void lines.push(args.map(String).join(' '));
beforeEach(async () => {
  lines.length = 0;
  bench = await startBench({
    logger: { debug: note, info: note, warn: note, error: note },
    mounts: [{ path: '/mcp', handle: async (_req, res) => void res.end('mounted') }],
  });
});
afterEach(() => bench.close());

const ROUTES = [
  '/',
  '/panel.js',
  '/panel.css',
  '/icon.svg',
  '/ws',
  '/mcp',
  '/mcp/x',
  '/api/asks',
  '/api/health',
  '/api/events',
  '/no',
];

test.each(ROUTES)('%s: a missing or wrong token is 401 and says what to do', async (path) => {
  for (const token of [null, 'wrong', `${bench.host.token}x`, bench.host.token.slice(1)]) {
    const reply = await call(bench.host, path, { token });
    expect(reply.status).toBe(401);
    expect(reply.json().error).toMatchObject({ code: 'unauthorized' });
    expect(reply.json().error.message).toMatch(/printed link/);
    expect(reply.text).not.toContain(bench.host.token);
  }
});

test('a browser without the token is told in words how to come in, a script in JSON', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const pages: string[] = [];
  for (const [path, token] of [
    ['/', null],
    ['/?token=wrong', null],
    ['/', 'wrong'],
  ] as const) {
    const page = await call(bench.host, path, { token, headers });
    expect(page.status).toBe(401);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.text).toMatch(/run <code>readback serve<\/code> and open the link/);
    pages.push(page.text);
  }
  // Static: nothing of this host and nothing of the request is in it.
  expect(new Set(pages).size).toBe(1);
  for (const secret of [bench.host.token, String(bench.host.port), 'wrong', '<script'])
    expect(pages[0]).not.toContain(secret);
  for (const [path, more] of [
    ['/', { headers: { accept: '*/*' } }],
    ['/', { headers, method: 'POST' }],
    ['/api/asks', { headers }],
    ['/panel.js', { headers }],
  ] as const) {
    expect((await call(bench.host, path, { token: null, ...more })).json().error.code).toBe('unauthorized');
  }
  expect((await call(bench.host, '/', { headers: { ...headers, host: 'evil.example' } })).status).toBe(403);
});

test.each(ROUTES)('%s: a foreign Host or Origin is 403, even with the token', async (path) => {
  const { host } = bench;
  const foreign = [
    { host: `evil.example:${host.port}` },
    { host: '127.0.0.1:1' },
    { host: '127.0.0.1' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${host.port + 1}` },
    { origin: `https://127.0.0.1:${host.port}` },
    { origin: `http://localhost:${host.port}` },
  ];
  for (const headers of foreign) expect((await call(host, path, { headers })).status).toBe(403);
});

test('our own origin and every loopback name with our port are let in', async () => {
  const { host } = bench;
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    const headers = { host: `${name}:${host.port}`, origin: `http://${name}:${host.port}` };
    expect((await call(host, '/api/health', { headers })).status).toBe(200);
  }
});

test('the token is taken from the query as well', async () => {
  const reply = await call(bench.host, `/api/asks?what=open&token=${bench.host.token}`, { token: null });
  expect(reply.json<{ asks: unknown[] }>().asks).toEqual([]);
});

test('a mount gets a request only after the checks', async () => {
  expect((await call(bench.host, '/mcp')).text).toBe('mounted');
  expect((await call(bench.host, '/mcpx')).status).toBe(404);
});

test('every reply forbids caching, sniffing, framing, referrers and foreign code', async () => {
  for (const path of ['/api/health', '/icon.svg', '/mcp', '/no']) {
    const { headers } = await call(bench.host, path);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|data:/);
  }
  expect((await call(bench.host, '/', { token: null })).headers['cache-control']).toBe('no-store');
});

test('the WebSocket upgrade checks token, Origin, Host and path', async () => {
  const { host } = bench;
  expect(await new TestSocket(host, { token: null }).refused()).toBe(401);
  expect(await new TestSocket(host, { token: 'wrong' }).refused()).toBe(401);
  expect(await new TestSocket(host, { origin: 'https://evil.example' }).refused()).toBe(403);
  expect(await new TestSocket(host, { headers: { host: 'evil.example' } }).refused()).toBe(403);
  const good = await new TestSocket(host, { origin: `http://127.0.0.1:${host.port}` }).open();
  await good.close();
});

test('the token is in no log line', async () => {
  const { host } = bench;
  await call(host, `/api/asks?token=${host.token}`);
  await call(host, `/api/asks?what=nonsense&token=${host.token}`);
  await new TestSocket(host, { origin: 'https://evil.example' }).refused();
  await (await new TestSocket(host).open()).close();
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('\n')).not.toContain(host.token);
});

test('a token that does not fit into a link, or is short, is refused by name', async () => {
  for (const token of ['short', 'has a space in it, and more', `${'x'.repeat(20)}"><script>`]) {
    await expect(startHost({ coordinator: bench.rig.asking, token })).rejects.toMatchObject({ field: 'token' });
  }
});

test('a taken port is said in words', async () => {
  const { host, rig } = bench;
  await expect(startHost({ coordinator: rig.asking, port: host.port })).rejects.toThrow(`Port ${host.port} is taken`);
});
