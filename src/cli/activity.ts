/** Knows how long nobody has wanted anything of a coordinator, for a host that ends itself. */

import type { Asking } from '../api.ts';

export interface Activity {
  /** The same coordinator, seen through a counter. */
  readonly asking: Asking;
  /** Milliseconds since the last call ended; zero while one runs. */
  idleFor(): number;
}

export function watched(asking: Asking, now: () => number = Date.now): Activity {
  let running = 0;
  let last = now();
  const count = <A extends unknown[], R>(call: (...args: A) => R) => {
    return (...args: A): R => {
      running += 1;
      const done = (): void => {
        running -= 1;
        last = now();
      };
      let result: R;
      try {
        result = call(...args);
      } catch (error) {
        done();
        throw error;
      }
      if (result instanceof Promise) void result.then(done, done);
      else done();
      return result;
    };
  };
  return {
    idleFor: () => (running > 0 ? 0 : Math.max(0, now() - last)),
    asking: {
      ask: count(asking.ask.bind(asking)),
      askAll: count(asking.askAll.bind(asking)),
      awaitAll: count(asking.awaitAll.bind(asking)),
      awaitAnswer: count(asking.awaitAnswer.bind(asking)),
      answer: count(asking.answer.bind(asking)),
      withdraw: count(asking.withdraw.bind(asking)),
      ack: count(asking.ack.bind(asking)),
      handBack: count(asking.handBack.bind(asking)),
      handOver: count(asking.handOver.bind(asking)),
      park: count(asking.park.bind(asking)),
      unread: count(asking.unread.bind(asking)),
      ...(asking.leafChanged === undefined ? {} : { leafChanged: count(asking.leafChanged.bind(asking)) }),
      ...(asking.answerLogged === undefined ? {} : { answerLogged: count(asking.answerLogged.bind(asking)) }),
      list: count(asking.list.bind(asking)),
      show: count(asking.show.bind(asking)),
      audit: count(asking.audit.bind(asking)),
      attachSurface: count(asking.attachSurface.bind(asking)),
      // These are asked all the time by those who only look.
      hasSurface: () => asking.hasSurface(),
      idle: () => asking.idle(),
      subscribe: (listener) => asking.subscribe(listener),
      close: () => asking.close(),
    },
  };
}
