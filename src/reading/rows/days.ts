/** Compares times by day without creating a date for each of them. */
export interface DayCalendar {
  isSameDay(a: number, b: number): boolean;
}

/** Days in local time. */
export function localDays(): DayCalendar {
  let start = Number.NaN;
  let end = Number.NaN;
  const isInside = (time: number) => time >= start && time < end;
  return {
    isSameDay: (a, b) => {
      if (!isInside(a)) {
        const date = new Date(a);
        start = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
        end = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
      }
      return isInside(b);
    },
  };
}
