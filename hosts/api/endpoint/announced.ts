import { RunEnded, Unauthenticated } from "../../../core/model/access/caller.ts";
import { VerificationRequired } from "../../../core/model/access/verification.ts";
import { CompanyArchived } from "../../../core/model/companies/company.ts";
import {
  IdempotencyKeyReused,
  NotAllowed,
  type RefusalType,
  ValidationFailed,
} from "../../../core/model/shared/failure.ts";
import { BlobsUnavailable } from "../../../ports/blob-store.ts";
import { DatabaseUnavailable, OutcomeUnknown, StorageFull } from "../../../ports/outage.ts";
import { CursorInvalid } from "../../../ports/views/page.ts";
import { IdempotencyInProgress, IdempotencyResultNotRepeatable } from "./carry-out-once.ts";
import { type Endpoint, isRefusedOfArchived } from "./endpoint.ts";
import { takesFile } from "./file-endpoint.ts";
import { paramNames, pathParams } from "./params.ts";

/** Outages that can occur in any endpoint. */
const outages = [DatabaseUnavailable, StorageFull, OutcomeUnknown];

/** Every refusal an endpoint may answer with by its declaration; a host adds those of its protocol. */
export const announcedBy = (endpoint: Endpoint): readonly RefusalType[] => [
  ...new Set<RefusalType>([
    ...endpoint.failures,
    ...paramNames(endpoint.path).map((param) => pathParams[param].missing),
    // Invalid credentials are refused even if none are needed.
    ...(endpoint.raw === undefined ? [ValidationFailed, Unauthenticated] : []),
    ...(endpoint.access.anyone ? [] : [NotAllowed]),
    ...(endpoint.access.verified ? [VerificationRequired] : []),
    ...(isRefusedOfArchived(endpoint) ? [CompanyArchived] : []),
    ...(endpoint.access.agent ? [RunEnded] : []),
    ...(endpoint.media === "page" ? [CursorInvalid] : []),
    ...(endpoint.media === "file" || takesFile(endpoint) ? [BlobsUnavailable] : []),
    ...(endpoint.creates === null ? [] : [IdempotencyKeyReused, IdempotencyInProgress]),
    ...(endpoint.creates !== null && (endpoint.creates.showsSecret || endpoint.creates.keeps !== null)
      ? [IdempotencyResultNotRepeatable]
      : []),
    ...outages,
  ]),
];
