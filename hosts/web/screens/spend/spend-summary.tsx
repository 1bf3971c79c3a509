import type { ReactNode } from "react";
import { Link } from "wouter";
import { budgetLevel } from "../../../../core/model/costs/budget.ts";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { periodBefore } from "../../nouns/spend/month.ts";
import { Money } from "../../widgets/money.tsx";
import { countText } from "../../widgets/size-text.ts";
import { timeText } from "../../widgets/time.tsx";

type Summary = AnswerOf<"costs.summary">;

/** Spend against budget, the forecast, and what nobody has named a price for. */
export const SpendSummary = ({
  summary,
  eventsPath,
  month,
}: {
  readonly summary: Summary;
  readonly eventsPath: string;
  /** null: other days than those of a month, for which there are no budgets. */
  readonly month: string | null;
}) => {
  const isMonth = month !== null;
  const { spendCents, pricedCents, budgetCents, utilizationPercent, forecast } = summary;
  const used = Math.min(100, utilizationPercent);
  const tone = ({ used_up: "red", alert: "amber", within: "accent" } as const)[
    budgetLevel(utilizationPercent)
  ];
  return (
    <section aria-label="Summary" className="stack">
      <dl className="spend-facts">
        <Fact
          name="Spent"
          note={
            <>
              {month === null ? null : <Compared month={month} cents={spendCents} />}
              {pricedCents > 0 ? (
                <div>
                  of it <Money cents={pricedCents} /> by price list
                </div>
              ) : null}
            </>
          }
        >
          <Link href={eventsPath} className="quiet-link sum" title="View cost events">
            <Money cents={spendCents} />
          </Link>
        </Fact>
        <Fact
          name="Monthly budget"
          note={budgetCents === 0 || !isMonth ? null : `${Math.round(utilizationPercent)}% used`}
        >
          {budgetCents === 0 ? "No limit" : <Money cents={budgetCents} />}
        </Fact>
        {forecast === null || !isMonth ? null : (
          <Fact
            name="Forecast"
            note={
              forecast.exhaustedAt === null
                ? "by the end of the month at this pace"
                : `used up ${timeText(forecast.exhaustedAt)}`
            }
          >
            <Money cents={forecast.projectedCents} />
          </Fact>
        )}
        <Fact
          name="Unknown"
          note={
            summary.unknownEventCount === 0
              ? "All costs are known"
              : `${summary.unknownEventCount} ${summary.unknownEventCount === 1 ? "event" : "events"} without cost, not included`
          }
        >
          {summary.unknownEventCount === 0 ? "None" : `${countText(summary.unknownTokens)} tokens`}
        </Fact>
      </dl>
      {budgetCents === 0 || !isMonth ? null : (
        <svg
          className={`spend-meter ${tone}`}
          viewBox="0 0 100 1"
          preserveAspectRatio="none"
          role="img"
          aria-label={`${Math.round(utilizationPercent)} % of the budget is used`}
        >
          <rect className="spend-track" width="100" height="1" />
          <rect className="spend-fill" width={used} height="1" />
        </svg>
      )}
    </section>
  );
};

/** The spend of a month next to that of the month before. */
const Compared = ({ month, cents }: { readonly month: string; readonly cents: number }) => {
  const { id: companyId } = useCompany();
  const { name, ...period } = periodBefore(month);
  const { data } = useRead("costs.summary", { companyId, ...period });
  if (data === undefined || data.spendCents === 0) return null;
  const percent = Math.round((100 * (cents - data.spendCents)) / data.spendCents);
  return (
    <div>
      {percent === 0 ? "As much as" : `${Math.abs(percent)} % ${percent > 0 ? "more" : "less"} than`} in{" "}
      {name} (
      <Money cents={data.spendCents} />)
    </div>
  );
};

const Fact = ({
  name,
  note,
  children,
}: {
  readonly name: string;
  readonly note: ReactNode;
  readonly children: ReactNode;
}) => (
  <div>
    <dt className="muted">{name}</dt>
    <dd className="spend-figure">{children}</dd>
    {note === null ? null : <dd className="muted">{note}</dd>}
  </div>
);
