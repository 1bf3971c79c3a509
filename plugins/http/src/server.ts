import { validateHeaderValue } from "node:http";
import type {
  AgentAdapter,
  EnvironmentCheck,
  EnvironmentReport,
  ExecuteContext,
  ExecuteResult,
  TestEnvironmentContext,
} from "../../../ports/agent-adapter.ts";
import { ConfigRefusal } from "../../kit/config.ts";
import { environmentReport } from "../../kit/environment-report.ts";
import { configurationRefused } from "../../kit/outcome.ts";
import { fillPrompt, promptValues } from "../../kit/prompt.ts";
import { clause } from "../../kit/sentence.ts";
import { type Answer, call } from "./call.ts";
import { agentConfigurationDoc, configSchema, type HttpConfig, readConfig } from "./configuration.ts";
import { AddressRefused, checkedAddress } from "./guard.ts";

export const createServerAdapter = (): AgentAdapter => ({
  type: "http",
  models: [],
  agentConfigurationDoc,
  configSchema,
  keepsFiles: false,
  execute,
  testEnvironment,
});

/** The URL without its query, which may hold secrets. */
const addressOf = (url: URL): string => `${url.origin}${url.pathname}`;

const execute = async (context: ExecuteContext): Promise<ExecuteResult> => {
  let config: HttpConfig;
  try {
    config = readConfig(context.config);
  } catch (refusal) {
    return configurationRefused(refusal);
  }
  const { url, method, timeoutSec } = config;
  const summary = `HTTP ${method} ${addressOf(url)}`;
  await context.onMeta({ command: summary, args: [], cwd: context.cwd });
  const timeout = AbortSignal.timeout(Math.ceil(timeoutSec * 1000));
  let prompted = false;
  const failed = (errorCode: string, errorMessage: string): ExecuteResult => ({
    exitCode: null,
    timedOut: errorCode === "timeout",
    errorCode,
    errorMessage,
    prompted,
  });
  let answer: Answer;
  try {
    answer = await call({
      url,
      method,
      address: await within(timeout, checkedAddress(url, config.allowPrivateHosts)),
      headers: filledHeaders(config.headers, context.env),
      body: method === "GET" ? null : JSON.stringify(payload(config, context)),
      signal: AbortSignal.any([context.signal, timeout]),
      onSent: () => {
        prompted = true;
      },
    });
  } catch (error) {
    if (context.signal.aborted) return failed("cancelled", "The run was stopped.");
    if (timeout.aborted)
      return failed("timeout", `${addressOf(url)} did not answer within ${timeoutSec} seconds (timeoutSec).`);
    if (error instanceof AddressRefused || error instanceof ConfigRefusal)
      return failed("configuration_incomplete", error.message);
    return failed("adapter_failed", `${summary} failed: ${reasonOf(error)}`);
  }
  if (answer.text !== "") await context.onLog("stdout", `${answer.text.replace(/\n$/, "")}\n`);
  if (answer.status >= 200 && answer.status < 300)
    return { exitCode: 0, timedOut: false, summary, resultJson: { status: answer.status } };
  const transient = answer.status === 429 || answer.status >= 500;
  return {
    ...failed(
      transient ? "transient_upstream" : "adapter_failed",
      `${summary} was answered with ${answer.status}.${answer.status >= 300 && answer.status < 400 ? " Redirects are not followed." : ""}`,
    ),
    ...(transient ? { errorFamily: "transient_upstream" as const } : {}),
    resultJson: { status: answer.status },
  };
};

/** Stops waiting for a lookup, which cannot be cancelled. */
const within = <A>(signal: AbortSignal, work: Promise<A>): Promise<A> =>
  Promise.race([
    work,
    new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    ),
  ]);

const filledHeaders = (
  headers: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, text]) => {
      const value = fillPrompt(text, { env });
      try {
        validateHeaderValue(name, value);
      } catch {
        throw new ConfigRefusal(
          `headers.${name}`,
          "holds what no header may hold, such as the end of a line. Look at the variables it names, too.",
        );
      }
      return [name, value];
    }),
  );

/** The service's own fields take precedence over the payload's. */
const payload = (config: HttpConfig, context: ExecuteContext): Readonly<Record<string, unknown>> => {
  const { agentId, companyId, runId, taskId } = context.variables;
  const template = filled(config.payloadTemplate, promptValues(context.variables)) as object;
  return { ...template, agentId, companyId, runId, taskId, context: context.context, prompt: context.prompt };
};

const filled = (value: unknown, values: Readonly<Record<string, unknown>>): unknown => {
  if (typeof value === "string") return fillPrompt(value, values);
  if (Array.isArray(value)) return value.map((entry) => filled(entry, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, filled(entry, values)]));
};

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message ?? "for an unknown reason";
};

const probeSec = 10;

const testEnvironment = async (context: TestEnvironmentContext): Promise<EnvironmentReport> => {
  const checks: EnvironmentCheck[] = [];
  const report = () => environmentReport(context.adapterType, checks);
  let config: HttpConfig;
  try {
    config = readConfig(context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    checks.push({ level: "error", code: configCode(context.config.url, refusal), message: refusal.message });
    return report();
  }
  const { url, method } = config;
  checks.push({ level: "info", code: "http_url_valid", message: `The URL is ${addressOf(url)}.` });
  checks.push({ level: "info", code: "http_method_configured", message: `The method is ${method}.` });
  checks.push(await probe(config));
  return report();
};

const configCode = (url: unknown, { key, message }: ConfigRefusal): string => {
  if (key !== "url") return "http_config_invalid";
  if (typeof url !== "string" || url.trim() === "") return "http_url_missing";
  return message.includes("must begin") ? "http_url_protocol_invalid" : "http_url_invalid";
};

/** Sends HEAD, which starts no work there. */
const probe = async ({ url, allowPrivateHosts }: HttpConfig): Promise<EnvironmentCheck> => {
  const signal = AbortSignal.timeout(probeSec * 1000);
  try {
    const address = await within(signal, checkedAddress(url, allowPrivateHosts));
    const { status } = await call({ url, address, method: "HEAD", headers: {}, body: null, signal });
    return status < 500 && status !== 404
      ? {
          level: "info",
          passed: true,
          code: "http_endpoint_probe_ok",
          message: `It answered with ${status}.`,
        }
      : {
          level: "warn",
          code: "http_endpoint_probe_unexpected_status",
          message: `It answered HEAD with ${status}.`,
        };
  } catch (error) {
    return error instanceof AddressRefused
      ? { level: "error", code: "http_endpoint_probe_failed", message: error.message }
      : {
          level: "warn",
          code: "http_endpoint_probe_failed",
          message: `It did not answer: ${signal.aborted ? `nothing within ${probeSec} seconds` : clause(reasonOf(error))}.`,
        };
  }
};
