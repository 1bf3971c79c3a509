/** Begins to count the processor time of this process, in milliseconds: other work on the machine does not affect it. */
export const processorTime = (): (() => number) => {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
};
