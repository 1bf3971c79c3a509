import * as Cause from "effect/Cause";
import * as Exit from "effect/Exit";
import * as Tracer from "effect/Tracer";
import { unknownRefusal } from "../../api/endpoint/telemetry.ts";

/**
 * A tracer whose spans end without the messages of failures: that of a database names the values of a row, that of a program
 * what it was given. A refusal is an answer and no error: the span names its code.
 */
export const withoutMessages = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options);
      const end = span.end.bind(span);
      return Object.assign(span, {
        end: (at: bigint, exit: Exit.Exit<unknown, unknown>) => {
          if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return end(at, exit);
          if (!Cause.hasDies(exit.cause)) {
            span.attribute("error.type", codeOf(Cause.squash(exit.cause)));
            return end(at, Exit.void);
          }
          const error = withoutMessage(Cause.squash(exit.cause));
          span.attribute("error.type", error.name);
          end(at, Exit.die(error));
        },
      });
    },
  });

const codeOf = (failure: unknown): string =>
  typeof failure === "object" && failure !== null && "code" in failure
    ? String(failure.code)
    : unknownRefusal;

const withoutMessage = (defect: unknown): Error => {
  const bare = new Error("The message is in the log of the service.");
  bare.stack = "";
  if (!(defect instanceof Error)) return bare;
  if (/^\w{1,80}$/.test(defect.name)) bare.name = defect.name;
  const { stack = "", message } = defect;
  const begin = stack.indexOf(message);
  // A stack begins with the message, which may look like one.
  const frames = begin === -1 ? [] : stack.slice(begin + message.length).match(/^ {4}at .*$/gm);
  bare.stack = [`${bare.name}: ${bare.message}`, ...(frames ?? [])].join("\n");
  return bare;
};
