import { SettingInvalid } from "./setting-invalid.ts";

/** The settings of the export, from the standard variables of OpenTelemetry. */
export interface TelemetrySettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protobuf: boolean;
  readonly serviceName: string;
  readonly resourceAttributes: string;
  /** The share of traces that begin here and are exported; a caller's trace follows the caller's decision. */
  readonly ratio: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns null where no trace is to be exported, which costs nothing then. */
export const readTelemetry = (env: Environment): TelemetrySettings | null => {
  const given = (name: string) => env[name]?.trim() || undefined;
  const url = tracesUrl(given("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), given("OTEL_EXPORTER_OTLP_ENDPOINT"));
  const ratio = ratioOf(given("OTEL_TRACES_SAMPLER"), given("OTEL_TRACES_SAMPLER_ARG"));
  const exporter = given("OTEL_TRACES_EXPORTER") ?? "otlp";
  if (given("OTEL_SDK_DISABLED")?.toLowerCase() === "true" || exporter === "none" || url === null)
    return null;
  if (exporter !== "otlp") throw new SettingInvalid("OTEL_TRACES_EXPORTER: must be otlp or none");
  const protocol =
    given("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? given("OTEL_EXPORTER_OTLP_PROTOCOL") ?? "http/protobuf";
  if (protocol !== "http/protobuf" && protocol !== "http/json")
    throw new SettingInvalid("OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json");
  return {
    url,
    headers: headersIn(
      given("OTEL_EXPORTER_OTLP_TRACES_HEADERS") ?? given("OTEL_EXPORTER_OTLP_HEADERS") ?? "",
    ),
    protobuf: protocol === "http/protobuf",
    serviceName: given("OTEL_SERVICE_NAME") ?? "boardroom",
    resourceAttributes: given("OTEL_RESOURCE_ATTRIBUTES") ?? "",
    ratio,
  };
};

const tracesUrl = (ofTraces: string | undefined, ofAll: string | undefined): string | null => {
  const [name, text] =
    ofTraces === undefined
      ? (["OTEL_EXPORTER_OTLP_ENDPOINT", ofAll] as const)
      : (["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ofTraces] as const);
  if (text === undefined) return null;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new SettingInvalid(`${name}: must be an http or https address`);
  return ofTraces ?? `${text.replace(/(?<!\/)\/+$/, "")}/v1/traces`;
};

const ratioOf = (sampler = "parentbased_always_on", argument = "1"): number => {
  switch (sampler.replace(/^parentbased_/, "")) {
    case "always_on":
      return 1;
    case "always_off":
      return 0;
    case "traceidratio": {
      const ratio = Number(argument);
      if (ratio >= 0 && ratio <= 1) return ratio;
      throw new SettingInvalid("OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1");
    }
    default:
      throw new SettingInvalid(
        "OTEL_TRACES_SAMPLER: must be always_on, always_off or traceidratio, or one of them after parentbased_",
      );
  }
};

const headersIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) return [];
      return [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
    }),
  );
