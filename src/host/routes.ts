import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import type { Asking, Attach, Outcome } from '../api.ts';
import { invalid } from '../errors.ts';
import { isWarning } from '../outcome.ts';
import type { Logger } from '../runtime.ts';
import { joinSignals } from '../signals.ts';
import { readText } from './body.ts';
import { Carriers } from './carriers.ts';
import { wireError } from './reply.ts';
import { bodies, parse, queries } from './schemas.ts';

type Env = { Bindings: HttpBindings };

export interface RoutesContext {
  readonly coordinator: Asking;
  readonly logger: Logger;
  /** Aborts when the host closes: running calls settle, the questions stay. */
  readonly closing: AbortSignal;
  health(): Promise<unknown>;
  stop(): void;
}

/** The JSON routes under /api, for the command line. Token, Host and Origin were checked before. */
export function apiRoutes(context: RoutesContext): Hono<Env> {
  const { coordinator, logger } = context;
  const app = new Hono<Env>();
  app.onError((error, c) => {
    const { status, ...rest } = wireError(error, logger);
    // What is left of such a body is not read, so the connection cannot be used again.
    if (status === 413) c.header('connection', 'close');
    return c.json({ error: rest }, status);
  });
  app.notFound((c) => c.json({ error: { code: 'not_found', message: 'There is nothing at this path.' } }, 404));

  app.get('/api/health', async (c) => c.json(await context.health()));
  app.get('/api/health/idle', async (c) => {
    query(c, queries.none);
    return c.json({ ok: true, ...(await coordinator.idle()) });
  });
  app.get('/api/asks', async (c) => c.json({ asks: await coordinator.list(query(c, queries.asks)) }));
  app.get('/api/asks/:id', async (c) => {
    query(c, queries.none);
    const ask = await coordinator.show(c.req.param('id'));
    if (ask !== undefined) return c.json({ ask });
    return c.json({ error: { code: 'unknown_ask', message: 'No ask with this id is on file.', field: 'id' } }, 404);
  });
  app.get('/api/audit', async (c) => c.json({ rows: await coordinator.audit(query(c, queries.audit)) }));
  app.post('/api/asks/:id/answer', async (c) => {
    const { reply } = await body(c, bodies.answer);
    return c.json(await coordinator.answer(c.req.param('id'), reply, TERMINAL));
  });
  app.post('/api/asks/:id/withdraw', async (c) => {
    const { reason } = await body(c, bodies.withdraw);
    return c.json(await coordinator.withdraw(c.req.param('id'), reason, TERMINAL));
  });
  app.post('/api/stop', (c) => {
    c.env.outgoing.once('finish', () => context.stop());
    return c.json({ ok: true });
  });
  waitingRoutes(app, context);
  refuseOtherMethods(app);
  return app;
}

/** Comes last: a path that is known, with a method that is not. */
function refuseOtherMethods(app: Hono<Env>): void {
  const known = new Map([['/api/events', ['GET']]]);
  for (const { path, method } of app.routes) known.set(path, [...(known.get(path) ?? []), method]);
  for (const [path, methods] of known) {
    const allow = methods.join(', ');
    const error = { code: 'method_not_allowed', message: `This path takes ${allow} only. Nothing was changed.` };
    app.all(path, (c) => c.json({ error }, 405, { allow }));
  }
}

const TERMINAL = { surface: 'terminal', who: 'cli' } as const;

/** The routes that hold on for a person, and the receipt for what they brought. */
function waitingRoutes(app: Hono<Env>, { coordinator, logger, closing }: RoutesContext): void {
  const carriers = new Carriers(coordinator, logger);
  app.post('/api/asks', async (c) => {
    const { question, timeoutMs, expiresInMs, from } = await body(c, bodies.ask);
    const tab = `cli:${randomUUID()}`;
    return await carry(c, closing, carriers, tab, (signal, attach) =>
      coordinator.ask(question, { tab, timeoutMs, expiresInMs, from: from ?? 'a shell', signal, attach }),
    );
  });
  app.post('/api/asks/:id/await', async (c) => {
    const { timeoutMs } = await body(c, bodies.await);
    return await carry(c, closing, carriers, `cli:${randomUUID()}`, (signal, attach) =>
      coordinator.awaitAnswer(c.req.param('id'), { timeoutMs, signal, attach }),
    );
  });
  app.post('/api/ack', async (c) => {
    const { tokens } = await body(c, bodies.ack);
    return c.json({ acks: await carriers.ack(tokens) });
  });
}

/** Runs one waiting call. A client that goes away ends the call, and takes nothing with it. */
async function carry(
  c: Context<Env>,
  closing: AbortSignal,
  carriers: Carriers,
  carrier: string,
  run: (signal: AbortSignal, attach: Attach) => Promise<Outcome>,
): Promise<Response> {
  const { outgoing } = c.env;
  const gone = new AbortController();
  const leave = () => gone.abort();
  outgoing.once('close', leave);
  if (outgoing.destroyed) leave();
  // A shell has no receipt for a warning, so none is put on file: what was lost stays owed.
  const attach: Attach = (_tab, token) => (isWarning(token) ? null : carrier);
  const { signal, release } = joinSignals(gone.signal, closing);
  const outcome = await run(signal, attach).finally(release);
  if ('token' in outcome) carriers.remember(outcome.token, carrier, outgoing);
  return c.json(outcome);
}

function query<T>(c: Context<Env>, schema: z.ZodType<T>): T {
  const { token: _secret, ...rest } = c.req.query();
  return parse(schema, rest, 'query');
}

async function body<T>(c: Context<Env>, schema: z.ZodType<T>): Promise<T> {
  const text = await readText(c.env.incoming);
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw invalid('body', 'is no JSON');
  }
  return parse(schema, value, 'body');
}
