/** Stands in for `readback serve` when it is started by somebody: owns the folder, writes host.json, answers health. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const home = process.argv[process.argv.indexOf('--home') + 1] ?? '';
const plan = existsSync(join(home, 'plan.json')) ? JSON.parse(readFileSync(join(home, 'plan.json'), 'utf8')) : {};
appendFileSync(join(home, 'starts.log'), `${process.pid} ${process.argv.slice(2).join(' ')}\n`);

if (plan.crash) {
  process.stderr.write('the disk is on fire\n');
  process.exit(1);
}
try {
  mkdirSync(join(home, 'owned'));
} catch {
  process.exit(4);
}
const token = `token-of-${process.pid}-0123456789`;
const server = createServer((req, res) => {
  const known = req.headers.authorization === `Bearer ${token}`;
  res.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
  res.end(JSON.stringify(known ? { ok: true, pid: process.pid, version: '0', pages: 0, open: 0, clients: [] } : {}));
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const file = { url, token, pid: process.pid, version: '0', startedAt: Date.now() };
  setTimeout(() => writeFileSync(join(home, 'host.json'), JSON.stringify(file)), plan.slow ?? 0);
});
process.on('SIGTERM', () => {
  rmSync(join(home, 'owned'), { recursive: true, force: true });
  process.exit(0);
});
// Nothing that a test forgets may outlive it for long.
setTimeout(() => process.exit(0), 30_000);
