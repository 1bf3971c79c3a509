import { refusal } from "../shared/failure.ts";

export class MasterKeyNotReady extends refusal(
  "next_master_key_missing",
  "conflict",
  "The master key comes from SERVICE_SECRETS_MASTER_KEY: start the services with the new one in SERVICE_SECRETS_MASTER_KEY_NEXT as well, then try again.",
) {}
