import { refusal } from "../shared/failure.ts";

export class AdapterNotFound extends refusal(
  "adapter_not_found",
  "not_found",
  "No adapter of that type is loaded. The list of adapters says which are.",
) {}

export class UiParserNotFound extends refusal(
  "ui_parser_not_found",
  "not_found",
  "The adapter has no UI parser of this service's contract version.",
) {}

/** The sentence names the fault of the package. */
export class AdapterNotInstallable extends refusal(
  "adapter_not_installable",
  "unprocessable",
  "That is no adapter package that can be used.",
) {}

export class AdapterTypeTaken extends refusal(
  "adapter_type_taken",
  "conflict",
  "Another adapter has that type. Types are unique.",
) {}

export class AdapterBuiltIn extends refusal(
  "adapter_built_in",
  "conflict",
  "That adapter comes with the service.",
) {}

export class AdapterBusy extends refusal(
  "adapter_busy",
  "too_many",
  "The company asks its adapters too much at once. Wait as long as Retry-After says.",
) {}
