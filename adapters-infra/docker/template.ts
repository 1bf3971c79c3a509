/** How the containers of one runner are made, as the operator's template says. */
export interface DockerTemplate {
  readonly name: string;
  /** On the engine already, with node 20 or later. */
  readonly image: string;
  readonly runAsUser: number;
  /** The engine's network that containers join. */
  readonly network: string;
  /** Together with what is written into /tmp; null: what the machine has. */
  readonly memoryBytes: number | null;
  readonly cpus: number | null;
  /** Processes and threads at a time. */
  readonly pids: number;
  /** Of the engine, such as runsc; null: its usual one. */
  readonly runtime: string | null;
}
