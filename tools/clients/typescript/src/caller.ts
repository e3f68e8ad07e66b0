// What the generated calls rest on.
import type { CallArgs, CallOptions } from './http.js';
import type { OperationId } from './generated/operations.js';

export abstract class Caller {
  /** Sends one call, and checks what comes back. */
  protected abstract call(id: OperationId, args: CallArgs, options: CallOptions): Promise<unknown>;
}
