/** A channel with eight seeded defects, each of another kind. */
import { createChannel } from 'readback/channel';
import { broken, isIn, misled, replaced } from './seeded.mjs';

/** A line on which each frame of the client goes through `says`, and each of the server through `hears`. */
const line = (connect, { says = (text, send) => send(text), hears = (text, message) => message(text) }) => ({
  connect(handlers) {
    let transport;
    const message = (text) => hears(text, handlers.message, (said) => transport.send(said));
    transport = connect({ ...handlers, open: () => handlers.open(), closed: (why) => handlers.closed(why), message });
    return { send: (text) => says(text, (said) => transport.send(said)), close: () => transport.close() };
  },
});

const OPTIONS = {
  'each greeting is answered': ({ connect }) =>
    line(connect, {
      hears(text, message, send) {
        message(text);
        if (text.includes('gateway.ready')) send('{"jsonrpc":"2.0","id":0,"method":"client.capabilities"}');
      },
    }),
  'what did not leave counts as said': ({ connect }) =>
    line(connect, {
      says(text, send) {
        send(text);
        return true;
      },
    }),
  'a crash is told in its own words': ({ connect, onRequestHandlerError }) => {
    let last = '';
    return {
      onRequestHandlerError(question, error) {
        last = error.message;
        onRequestHandlerError?.(question, error);
      },
      ...line(connect, {
        says: (text, send) =>
          send(text.includes('-32603') ? text.replace(/"message":"/, `"message":"${last} boom `) : text),
      }),
    };
  },
  'a flood is taken': ({ limits }) => ({ limits: { ...limits, questions: 1_000 } }),
  'a receipt is passed over': ({ connect }) =>
    line(connect, { hears: (text, message) => message(text.replace('"status":"expired"', '"status":"ok"')) }),
};

/** A question whose answer leaves each time it is given. */
const again = (question, send) =>
  replaced(question, {
    respond(result) {
      const was = question.respond(result);
      if (was === 'already') send(JSON.stringify({ jsonrpc: '2.0', id: question.id, result }));
      return was;
    },
  });

const MADE = {
  'a crash of a handler is silent': (c) => ({
    onRequest: (method, handler) =>
      c.onRequest(method, (question) => {
        try {
          return handler(question);
        } catch {
          return {};
        }
      }),
  }),
  'the last handler owns': (c) => {
    const handlers = [];
    c.onRequest('*', (question) => {
      for (const [method, handler] of handlers.toReversed()) {
        if (method !== '*' && method !== question.method) continue;
        const taken = handler(question);
        if (taken !== false) return taken;
      }
      return false;
    });
    return {
      onRequest(...pair) {
        handlers.push(pair);
        return () => void handlers.splice(handlers.indexOf(pair), 1);
      },
    };
  },
};

export const channel = (options) => {
  let send = () => false;
  const heard = line(options.connect, {
    says(text, pass) {
      send = pass;
      return pass(text);
    },
  });
  const made = createChannel(misled({ ...options, ...heard }, OPTIONS));
  const isRepeated = isIn('an answer leaves each time');
  const mine = (question) => (isRepeated && question !== undefined ? again(question, (text) => send(text)) : question);
  const outer = replaced(made, {
    question: (id) => mine(made.question(id)),
    onRequest: (method, handler) => made.onRequest(method, (question) => handler(mine(question))),
  });
  return broken(outer, MADE);
};
