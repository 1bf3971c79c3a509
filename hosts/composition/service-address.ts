/** Where the service is reached: where its operator says, else where it listens, which is known after the start. */
export interface ServiceAddress {
  noteListening(url: string): void;
  /** Without a slash at the end; empty while it is not known. */
  ofService(): string;
  /** Where agents' programs reach it. */
  ofAgents(): string;
}

export const serviceAddress = (publicUrl: string | null): ServiceAddress => {
  let listeningAt = "";
  const known = () => publicUrl ?? listeningAt;
  return {
    noteListening: (url) => {
      listeningAt = url;
    },
    ofService: () => known().replace(/\/+$/, ""),
    ofAgents: known,
  };
};
