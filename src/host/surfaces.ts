import type { Asking } from '../api.ts';

/**
 * Says to the coordinator what can show cards now. A window that is open twice under one id, as a duplicated tab is,
 * stays attached until its last socket has gone.
 */
export class Surfaces {
  readonly #coordinator: Asking;
  readonly #open = new Map<string, { sockets: number; detach: () => void }>();

  constructor(coordinator: Asking) {
    this.#coordinator = coordinator;
  }

  /** Attaches one socket. The function returned detaches it, once. */
  attach(kind: string, id: string): () => void {
    const key = `${kind}:${id}`;
    const held = this.#open.get(key) ?? { sockets: 0, detach: this.#coordinator.attachSurface({ kind, id }) };
    held.sockets += 1;
    this.#open.set(key, held);
    let attached = true;
    return () => {
      if (!attached) return;
      attached = false;
      held.sockets -= 1;
      if (held.sockets > 0) return;
      this.#open.delete(key);
      held.detach();
    };
  }
}
