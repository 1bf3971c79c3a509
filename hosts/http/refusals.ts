import { BoardTokensNotAllowed } from "../../core/model/access/board-token-policy.ts";
import { RunIdMismatch, RunNotYours } from "../../core/model/access/caller.ts";
import { type RefusalType, refusal } from "../../core/model/shared/failure.ts";
import { announcedBy } from "../api/endpoint/announced.ts";
import type { Endpoint } from "../api/endpoint/endpoint.ts";
import { takesFile } from "../api/endpoint/file-endpoint.ts";
import { isLimited, Overloaded, TooManyRequests } from "./admission.ts";
import { TooManyStreams } from "./followers.ts";
import { TooManyGuesses } from "./guesses.ts";
import { CsrfTokenInvalid } from "./identify.ts";
import { HostNotAllowed, OriginNotAllowed } from "./origin.ts";
import { FileTooLarge, NotAnUpload, UploadBrokenOff } from "./upload.ts";

export class NoSuchRoute extends refusal("not_found", "not_found", "Not found.") {}
export class MalformedJson extends refusal("malformed_json", "invalid", "The body isn't valid JSON.") {}
export class MalformedEncoding extends refusal(
  "validation_error",
  "invalid",
  "The URL contains an invalid percent-encoding.",
) {}
export class PayloadTooLarge extends refusal("payload_too_large", "too_large", "The body is too large.") {}
export class NotJson extends refusal(
  "unsupported_media_type",
  "unsupported_type",
  "The body must be application/json, in UTF-8.",
) {}
export class BodyEncoded extends refusal(
  "unsupported_media_type",
  "unsupported_type",
  "The body must not be compressed or encoded.",
) {}
export class BodyBrokenOff extends refusal("body_incomplete", "invalid", "The body ended early.") {}
export class KeyOutOfBounds extends refusal(
  "validation_error",
  "invalid",
  "Idempotency-Key must be 1 to 255 characters.",
) {}

/** Every refusal an endpoint may answer with over HTTP. */
export const refusalsOf = (endpoint: Endpoint): readonly RefusalType[] => {
  const { access, media, method, raw } = endpoint;
  const isRaw = raw !== undefined;
  return [
    ...announcedBy(endpoint),
    HostNotAllowed,
    MalformedEncoding,
    ...(isLimited(endpoint) ? [Overloaded] : []),
    ...(isLimited(endpoint) && !isRaw ? [TooManyRequests] : []),
    ...(isRaw ? [BodyBrokenOff, PayloadTooLarge] : [OriginNotAllowed, TooManyGuesses]),
    ...(isRaw || !access.agent ? [] : [RunNotYours, RunIdMismatch]),
    ...(isRaw || method === "GET" || access.board === null ? [] : [CsrfTokenInvalid]),
    ...(isRaw || access.link || access.board === null ? [] : [BoardTokensNotAllowed]),
    ...(isRaw || method === "GET"
      ? []
      : takesFile(endpoint)
        ? [NotAnUpload, FileTooLarge, UploadBrokenOff]
        : [MalformedJson, NotJson, BodyEncoded, BodyBrokenOff, PayloadTooLarge]),
    ...(media === "events" ? [TooManyStreams] : []),
  ];
};
