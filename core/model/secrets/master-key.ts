import { refusal } from "../shared/failure.ts";

export class MasterKeyNotReady extends refusal(
  "next_master_key_missing",
  "conflict",
  "The master key comes from SERVICE_SECRETS_MASTER_KEY. Also set SERVICE_SECRETS_MASTER_KEY_NEXT to the new key, restart the services, then try again.",
) {}
