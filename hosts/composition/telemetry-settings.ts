import type { SignalSettings, TelemetrySettings } from "../../adapters-infra/telemetry/settings.ts";
import { readSecret } from "./secret-setting.ts";
import { SettingInvalid } from "./setting-invalid.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Given = (name: string) => string | undefined;

/** Returns null where nothing is to be exported, which costs nothing then. */
export const readTelemetry = (env: Environment): TelemetrySettings | null => {
  const given: Given = (name) => env[name]?.trim() || undefined;
  const isDisabled = given("OTEL_SDK_DISABLED")?.toLowerCase() === "true";
  const signal = (name: "TRACES" | "METRICS") => (isDisabled ? null : readSignal(env, given, name));
  const [traces, metrics] = [signal("TRACES"), signal("METRICS")];
  const ratio = ratioOf(given("OTEL_TRACES_SAMPLER"), given("OTEL_TRACES_SAMPLER_ARG"));
  if (traces === null && metrics === null) return null;
  return {
    traces,
    metrics,
    serviceName: given("OTEL_SERVICE_NAME") ?? "boardroom",
    resourceAttributes: given("OTEL_RESOURCE_ATTRIBUTES") ?? "",
    ratio,
    genAi: (given("OTEL_SEMCONV_STABILITY_OPT_IN") ?? "")
      .split(",")
      .some((each) => each.trim() === genAiOptIn),
  };
};

const genAiOptIn = "gen_ai_latest_experimental";

const readSignal = (env: Environment, given: Given, signal: "TRACES" | "METRICS"): SignalSettings | null => {
  const { exporterName } = names[signal];
  const exporter = given(exporterName) ?? "otlp";
  const url = urlOf(given, signal);
  if (exporter === "none" || url === null) return null;
  if (exporter !== "otlp") throw new SettingInvalid(`${exporterName}: must be otlp or none`);
  const option = (name: string) =>
    given(`OTEL_EXPORTER_OTLP_${signal}_${name}`) ?? given(`OTEL_EXPORTER_OTLP_${name}`);
  // Collectors take both at one address, and JSON costs a service half as much.
  const protocol = option("PROTOCOL") ?? "http/json";
  if (protocol !== "http/protobuf" && protocol !== "http/json")
    throw new SettingInvalid("OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json");
  // They hold the key of the collector.
  const headers =
    readSecret(env, `OTEL_EXPORTER_OTLP_${signal}_HEADERS`) ??
    readSecret(env, "OTEL_EXPORTER_OTLP_HEADERS") ??
    "";
  return {
    url,
    headers: headersIn(headers),
    protobuf: protocol === "http/protobuf",
    intervalMs: intervalOf(given, signal),
  };
};

const urlOf = (given: Given, signal: "TRACES" | "METRICS"): string | null => {
  const ofSignal = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  const name = given(ofSignal) === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : ofSignal;
  const text = given(name);
  if (text === undefined) return null;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new SettingInvalid(`${name}: must be an http or https address`);
  return name === ofSignal ? text : `${text.replace(/(?<!\/)\/+$/, "")}/v1/${signal.toLowerCase()}`;
};

const intervalOf = (given: Given, signal: "TRACES" | "METRICS"): number => {
  const { intervalName, defaultMs } = names[signal];
  const ms = Number(given(intervalName) ?? defaultMs);
  if (Number.isSafeInteger(ms) && ms >= 100 && ms < 2 ** 31) return ms;
  throw new SettingInvalid(`${intervalName}: must be milliseconds, 100 or more`);
};

const names = {
  TRACES: {
    exporterName: "OTEL_TRACES_EXPORTER",
    intervalName: "OTEL_BSP_SCHEDULE_DELAY",
    defaultMs: 5_000,
  },
  METRICS: {
    exporterName: "OTEL_METRICS_EXPORTER",
    intervalName: "OTEL_METRIC_EXPORT_INTERVAL",
    defaultMs: 60_000,
  },
} as const;

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
      return [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
    }),
  );

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SettingInvalid("OTEL_EXPORTER_OTLP_HEADERS: contains an invalid percent-encoding");
  }
};
