import type { Credentials } from "../../ports/credentials.ts";
import type { Mail } from "../../ports/mail.ts";

export interface EmailIo {
  readonly credentials: Credentials;
  /** null: the instance sends no email. */
  readonly mail: Mail | null;
  /** The public address of the service. */
  readonly address: () => string;
}
