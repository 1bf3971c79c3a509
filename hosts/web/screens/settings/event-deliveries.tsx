import { useEffect } from "react";
import { type RowOf, usePages, useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Pages } from "../../widgets/pages.tsx";
import { Time } from "../../widgets/time.tsx";
import type { Subscription } from "./event-subscription-form.tsx";

type Delivery = RowOf<"eventSubscriptions.deliveries">;

/** The pause until deliveries are read again while one waits for its first attempt: no event of the stream is about one. */
const readAgainMs = 1_500;

interface EventDeliveriesProps {
  readonly subscription: Subscription;
  readonly mayManage: boolean;
}

/** The last deliveries to a subscription, with the answers. */
export const EventDeliveries = ({ subscription, mayManage }: EventDeliveriesProps) => {
  const deliveries = usePages("eventSubscriptions.deliveries", {
    eventSubscriptionId: subscription.id,
    limit: 20,
  });
  const redeliver = useWrite("eventSubscriptions.redeliver");
  const { rows, refetch, dataUpdatedAt } = deliveries;
  const isAwaited = rows.some(({ state, attempts }) => state === "pending" && attempts === 0);
  useEffect(() => {
    // Each answer is followed by another read.
    if (!isAwaited || dataUpdatedAt === 0) return;
    const timer = setTimeout(() => void refetch(), readAgainMs);
    return () => clearTimeout(timer);
  }, [isAwaited, dataUpdatedAt, refetch]);
  return (
    <>
      {redeliver.error === null ? null : <Problem error={redeliver.error} />}
      <Pages of={deliveries} empty={<p className="faint">Nothing sent yet.</p>}>
        <ul className="plain-list" aria-label={`Deliveries to ${subscription.url}`}>
          {rows.map((delivery) => (
            <li key={delivery.id} className="row list-row">
              <span className="grow">
                {delivery.type} <span className="faint">· {outcomeOf(delivery)}</span>
              </span>
              <Time at={delivery.createdAt} />
              {mayManage && subscription.disabledAt === null ? (
                <Button
                  small
                  busy={redeliver.busy}
                  onClick={() => redeliver.run({ eventDeliveryId: delivery.id })}
                >
                  Send again<span className="only-read"> {delivery.type}</span>
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      </Pages>
    </>
  );
};

const outcomeOf = ({ state, attempts, status, answer, durationMs }: Delivery): string => {
  if (attempts === 0) return state === "pending" ? "waiting to be sent" : "not sent";
  const answered = status === null ? (answer ?? "no answer") : `answered ${status} in ${durationMs ?? 0} ms`;
  const text = status === null || answer === null || answer === "" ? answered : `${answered}: ${answer}`;
  if (state === "delivered") return text;
  const tries = `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
  return state === "pending" ? `retrying after ${tries}; ${text}` : `undelivered after ${tries}; ${text}`;
};
