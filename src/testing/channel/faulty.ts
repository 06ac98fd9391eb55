/** A line that drops, delays, repeats and cuts when it is told to, over one that works. */
import type { Connect, Transport, TransportHandlers } from '../../wire/connection.ts';

export interface LineFault {
  /** `out`: what the client sends. `in`: what it is sent. */
  readonly on: 'out' | 'in';
  /** Which frame of that way, counted from 1 from the moment the fault was planted. */
  readonly nth: number;
  /** `drop`: it is gone without a word. `delay`: it waits for `flush`. `repeat`: it comes twice. `cut`: it and the line go. */
  readonly how: 'drop' | 'delay' | 'repeat' | 'cut';
}

export interface FaultyLine {
  /** For the channel, in the place of the one that was wrapped. */
  readonly connect: Connect;
  /** Faults that have struck. */
  readonly struck: number;
  /** Plants a fault; the ones before stay. */
  plant(fault: LineFault): void;
  /** Lets go what was delayed, in its order; of a line that was cut meanwhile nothing is left. */
  flush(): void;
  /** Takes out every fault that has not struck. */
  heal(): void;
}

interface Planted {
  readonly fault: LineFault;
  left: number;
}

class Line implements FaultyLine {
  readonly #connect: Connect;
  #planted: Planted[] = [];
  #waiting: { readonly isUp: () => boolean; readonly go: () => void }[] = [];
  struck = 0;

  constructor(connect: Connect, plan: readonly LineFault[]) {
    this.#connect = connect;
    for (const fault of plan) this.plant(fault);
  }

  plant(fault: LineFault): void {
    this.#planted.push({ fault, left: fault.nth });
  }

  heal(): void {
    this.#planted = [];
  }

  flush(): void {
    for (const { isUp, go } of this.#waiting.splice(0)) if (isUp()) go();
  }

  readonly connect: Connect = (handlers) => {
    let isUp = true;
    const cut = (reason?: string): void => {
      if (!isUp) return;
      isUp = false;
      handlers.closed(reason);
    };
    const own: TransportHandlers = {
      ...handlers,
      message: (text) => {
        if (isUp)
          this.#pass(
            'in',
            () => handlers.message(text),
            () => isUp,
            () => cut('a planted cut'),
          );
      },
      closed: (reason) => cut(reason),
    };
    const line: Transport = this.#connect(own);
    return {
      ...line,
      send: (text) => {
        if (!isUp) return false;
        // What is lost on its way was sent all the same, as far as the sender can know.
        let hasLeft = true;
        this.#pass(
          'out',
          () => {
            hasLeft = line.send(text);
          },
          () => isUp,
          () => {
            line.close();
            cut('a planted cut');
          },
        );
        return hasLeft;
      },
      close: () => {
        isUp = false;
        line.close();
      },
    };
  };

  #pass(way: LineFault['on'], go: () => void, isUp: () => boolean, cut: () => void): void {
    switch (this.#due(way)?.how) {
      case 'drop':
        return;
      case 'delay':
        this.#waiting.push({ isUp, go });
        return;
      case 'cut':
        return cut();
      case 'repeat':
        go();
        if (isUp()) go();
        return;
      default:
        return go();
    }
  }

  #due(way: LineFault['on']): LineFault | undefined {
    const mine = this.#planted.filter(({ fault }) => fault.on === way);
    for (const one of mine) one.left -= 1;
    const due = mine.find(({ left }) => left === 0);
    if (due !== undefined) {
      this.#planted.splice(this.#planted.indexOf(due), 1);
      this.struck += 1;
    }
    return due?.fault;
  }
}

/**
 * Wraps the way a channel connects, so that chosen frames are dropped, delayed, repeated, or take the line with them.
 *
 * Promises that a frame without a fault is the frame of the line beneath. Faults outlast the line: the n-th frame is
 * counted over reconnects.
 */
export function faultyChannel(connect: Connect, ...plan: readonly LineFault[]): FaultyLine {
  return new Line(connect, plan);
}
