import type { ClientDocuments } from "../../../ports/client-documents.ts";
import type { Credentials } from "../../../ports/credentials.ts";

export interface AssistantIo {
  readonly documents: ClientDocuments;
  readonly credentials: Credentials;
  /** The public address of the service. */
  readonly address: () => string;
}
