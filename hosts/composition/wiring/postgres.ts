import type { Bind, Foundations } from "./foundations.ts";
import { T } from "./tokens.ts";

export const bindPostgres = (bind: Bind, { storage, config }: Foundations): void => {
  bind(T.transactor).toConstantValue(storage.transactor);
  bind(T.views).toConstantValue(storage.views);
  bind(T.idempotency).toConstantValue(storage.idempotency);
  bind(T.signals).toConstantValue(storage.signals);
  bind(T.runLogs).toResolvedValue((blobs) => storage.runLogs(blobs, config.runLogMaxBytes), [T.blobs]);
};
