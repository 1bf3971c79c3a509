/** Where one kind of data goes. */
export interface SignalSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protobuf: boolean;
  /** From one export to the next. */
  readonly intervalMs: number;
}

/** The settings of the export, from the standard variables of OpenTelemetry. */
export interface TelemetrySettings {
  /** null: nothing is traced. */
  readonly traces: SignalSettings | null;
  /** null: metrics are at `GET /metrics` alone. */
  readonly metrics: SignalSettings | null;
  readonly serviceName: string;
  readonly resourceAttributes: string;
  /** The share of traces that begin here and are exported; a caller's trace follows the caller's decision. */
  readonly ratio: number;
  /** Whether runs are shown by the conventions for generative AI, too. */
  readonly genAi: boolean;
}
