import { type Command, Option } from "commander";

/** `boardroom serve`: runs the service. Only this command loads the service, so that other commands start fast. */
export const addServe = (program: Command): void => {
  program
    .command("serve")
    .summary("Run the service until SIGTERM or SIGINT")
    .description(
      [
        "Run the service until SIGTERM or SIGINT.",
        "It brings its own database unless DATABASE_URL names a PostgreSQL server, and keeps everything else in",
        "SERVICE_DATA_DIR (./data in a checkout, ~/.boardroom when installed). PORT (3100) and HOST (127.0.0.1) say",
        "where it listens.",
      ].join("\n"),
    )
    .helpGroup("The service:")
    .addOption(
      new Option("--role <role>", "answer requests, run agents, or both")
        .choices(["api", "worker", "all"] as const)
        .default("all"),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  boardroom serve\n  PORT=8080 HOST=0.0.0.0 boardroom serve --role api",
    )
    .action(async ({ role }: { role: "api" | "worker" | "all" }) => {
      const { keepYoungGenerationSmall } = await import("../../composition/young-generation.ts");
      // Before all else is loaded.
      keepYoungGenerationSmall(true);
      const { serve } = await import("../../http/main.ts");
      await serve({ role });
    });
};
