/** The service answered with a refusal. `code` is stable, the message is a sentence for people. */
export class BoardroomError extends Error {
  override readonly name = "BoardroomError";
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  /** How long to wait before a retry, if the service gives a time. */
  readonly retryAfterSec: number | null;

  constructor(
    status: number,
    code: string,
    message: string,
    details?: unknown,
    retryAfterSec?: number | null,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfterSec = retryAfterSec ?? null;
  }

  /** Makes the error from an answer: the service's error body, or the answer of a proxy. */
  static of(status: number, headers: Readonly<Record<string, string>>, text: string): BoardroomError {
    const { error, code, details } = parsed(text);
    const seconds = Number(headers["retry-after"] ?? Number.NaN);
    return new BoardroomError(
      status,
      typeof code === "string" ? code : `http_${status}`,
      typeof error === "string" ? error : `The response (status ${status}) isn't from a Boardroom service.`,
      details,
      Number.isFinite(seconds) ? seconds : null,
    );
  }
}

/** Whether the same call may succeed later: a refusal is final, except that of too many calls. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof BoardroomError) || error.status === 429 || error.status >= 500;

/** No answer arrived: nothing listens, or the connection broke. It is unknown whether the call was carried out. */
export class ServiceUnreachable extends Error {
  override readonly name: string = "ServiceUnreachable";
  readonly baseUrl: string;

  constructor(baseUrl: string, reason: string, cause?: unknown) {
    super(`No response from ${baseUrl}: ${reason}.`, { cause });
    this.baseUrl = baseUrl;
  }
}

/** An event stream went silent: it was not closed, but nothing arrived. */
export class ServiceSilent extends ServiceUnreachable {
  override readonly name = "ServiceSilent";

  constructor(silentMs: number) {
    super("the service", `it sent nothing for ${silentMs / 1000} s`);
  }
}

const parsed = (text: string): { error?: unknown; code?: unknown; details?: unknown } => {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
};
