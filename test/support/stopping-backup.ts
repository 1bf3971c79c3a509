import { z } from "zod";
import { backups } from "../../hosts/composition/backup/index.ts";
import { readConfig } from "../../hosts/composition/config.ts";

/** A backup or a restore that suspends itself when it first reaches a stage. Built by `stopping-program.ts`. */
const { STOP_AT, MADE_IN, RESTORED_FROM } = z
  .object({ STOP_AT: z.string(), MADE_IN: z.string().optional(), RESTORED_FROM: z.string().optional() })
  .parse(process.env);
let isPassed = false;
const onProgress = ({ stage }: { readonly stage: string }) => {
  if (stage !== STOP_AT || isPassed) return;
  isPassed = true;
  process.kill(process.pid, "SIGSTOP");
};
const config = readConfig(process.env);
const without = { kind: "manual", passphrase: null, withKey: false, encrypt: false } as const;
if (MADE_IN !== undefined) await backups.make(config, { ...without, to: MADE_IN, onProgress });
if (RESTORED_FROM !== undefined)
  await backups.restore(config, { path: RESTORED_FROM, passphrase: null, onProgress });
