import { type ReactNode, useId } from "react";

interface SectionProps {
  /** Where a navigation of the page leads: `#members`. */
  readonly anchor?: string;
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** One subject of a page of several. */
export const Section = ({ anchor, title, action, children }: SectionProps) => {
  const id = useId();
  return (
    <section
      className="section"
      id={anchor}
      aria-labelledby={id}
      tabIndex={anchor === undefined ? undefined : -1}
    >
      <header className="section-head">
        <h2 id={id} className="grow">
          {title}
        </h2>
        {action}
      </header>
      {children}
    </section>
  );
};
