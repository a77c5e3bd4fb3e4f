import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, mondayOf } from '../domain/days.ts';
import { SLOT_MS, timeSlot } from '../domain/usage.ts';
import { createCalendar, createSystemCalendar, isoWeek, systemTimezone, timezoneOfLink } from './calendar.ts';

const dayAt = (timezone: string, time: string) => createCalendar(timezone).dayOf(timeSlot(time));

describe('the hours of a time zone', () => {
  it.each([
    ['UTC', '2026-11-15T09:59:59.999Z', '2026-11-15T09'],
    ['Asia/Kathmandu', '2026-11-15T18:14:59.999Z', '2026-11-15T23'],
    ['Asia/Kathmandu', '2026-11-15T18:15:00.000Z', '2026-11-16T00'],
    // An hour that occurs twice.
    ['America/New_York', '2026-11-01T05:30:00.000Z', '2026-11-01T01'],
    ['America/New_York', '2026-11-01T06:30:00.000Z', '2026-11-01T01'],
  ])('%s at %s has %s', (timezone, time, hour) => {
    expect(createCalendar(timezone).hourOf(timeSlot(time))).toBe(hour);
  });
});

describe('the days of a time zone', () => {
  it.each([
    ['UTC', '2026-11-15T23:59:59.999Z', '2026-11-15'],
    ['UTC', '2026-11-16T00:00:00.000Z', '2026-11-16'],
    // Five hours and three quarters ahead.
    ['Asia/Kathmandu', '2026-11-15T18:14:59.999Z', '2026-11-15'],
    ['Asia/Kathmandu', '2026-11-15T18:15:00.000Z', '2026-11-16'],
    // Summer time ends on 1 November: four hours behind before, five after.
    ['America/New_York', '2026-11-01T03:59:59.999Z', '2026-10-31'],
    ['America/New_York', '2026-11-01T04:00:00.000Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T04:59:59.999Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T05:00:00.000Z', '2026-11-02'],
    // It begins on 8 March.
    ['America/New_York', '2026-03-08T05:00:00.000Z', '2026-03-08'],
    ['America/New_York', '2026-03-09T03:59:59.999Z', '2026-03-08'],
    ['America/New_York', '2026-03-09T04:00:00.000Z', '2026-03-09'],
    // Half an hour of summer time: eleven hours ahead in it, ten and a half out of it.
    ['Australia/Lord_Howe', '2026-04-04T12:59:59.999Z', '2026-04-04'],
    ['Australia/Lord_Howe', '2026-04-04T13:00:00.000Z', '2026-04-05'],
    ['Australia/Lord_Howe', '2026-04-05T13:29:59.999Z', '2026-04-05'],
    ['Australia/Lord_Howe', '2026-04-05T13:30:00.000Z', '2026-04-06'],
  ])('%s at %s has %s', (timezone, time, day) => {
    expect(dayAt(timezone, time)).toBe(day);
  });

  it.each([
    ['America/New_York', '2026-11-01', 25],
    ['America/New_York', '2026-03-08', 23],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
    ['Australia/Lord_Howe', '2026-10-04', 23.5],
    // Midnight does not exist: clocks go from 23:59 to 01:00.
    ['Africa/Cairo', '2026-04-24', 23],
    ['Asia/Kathmandu', '2026-11-15', 24],
  ])('%s: %s has %f hours', (timezone, day, hours) => {
    const calendar = createCalendar(timezone);
    const slots = calendar.firstSlotOf(addDays(day, 1)) - calendar.firstSlotOf(day);
    expect((slots * SLOT_MS) / 3_600_000).toBe(hours);
  });

  it('begin where the previous day ends, in every zone and season', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const day = fc.integer({ min: 0, max: 3_650 }).map((days) => addDays('2020-01-01', days));
    fc.assert(
      fc.property(fc.constantFrom(...zones), day, (zone, date) => {
        const { dayOf, firstSlotOf } = createCalendar(zone);
        const first = firstSlotOf(date);
        expect([dayOf(first - 1) < date, dayOf(first)]).toEqual([true, date]);
      }),
      { numRuns: 300 },
    );
  });

  it('are rejected for an unknown zone', () => {
    expect(() => createCalendar('Mars/Olympus')).toThrow(/Unknown time zone "Mars\/Olympus"/);
  });
});

describe('weeks and days', () => {
  it('begin on Monday, and Thursday decides the year', () => {
    expect(['2026-11-15', '2026-11-16', '2026-11-22'].map(mondayOf)).toEqual([
      '2026-11-09',
      '2026-11-16',
      '2026-11-16',
    ]);
    const days = ['2026-01-01', '2025-12-29', '2021-01-03', '2020-12-31', '2026-11-15'];
    expect(days.map(isoWeek)).toEqual(['2026-W01', '2026-W01', '2020-W53', '2020-W53', '2026-W46']);
  });
});

describe('the name of the time zone', () => {
  it.each([
    ['/usr/share/zoneinfo/Europe/Berlin', 'Europe/Berlin'],
    ['../usr/share/zoneinfo/America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['/var/db/timezone/zoneinfo/America/Port-au-Prince', 'America/Port-au-Prince'],
    ['/usr/share/zoneinfo/Etc/UTC', 'UTC'],
    ['/usr/share/zoneinfo/UTC', 'UTC'],
    ['/usr/share/zoneinfo/right/Europe/Berlin', null],
    ['/etc/my-zone', null],
  ])('is that of the link to %s: %s', (target, name) => {
    expect(timezoneOfLink(target)).toBe(name);
    if (name !== null) expect(() => createCalendar(name)).not.toThrow();
  });
});

describe('the time zone of the system', () => {
  it.each(['', 'Mars/Phobos', ':'])('is UTC, as for the clock, if TZ is %j', (zone) => {
    const before = process.env.TZ;
    process.env.TZ = zone;
    try {
      expect([systemTimezone(), new Date(0).getHours()]).toEqual(['UTC', 0]);
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });
});

describe('the calendar of the system', () => {
  it.each(['UTC', 'Asia/Kathmandu', 'America/New_York', 'Australia/Lord_Howe'])(
    'is that of its time zone: %s',
    (zone) => {
      const before = process.env.TZ;
      process.env.TZ = zone;
      try {
        const [system, named] = [createSystemCalendar(), createCalendar(zone)];
        const slots = Array.from({ length: 400 }, (_, n) => timeSlot('2026-01-01T00:00:00Z') + n * 87);
        for (const slot of slots) expect(system.clockOf(slot)).toBe(named.clockOf(slot));
        for (const day of ['2026-03-08', '2026-11-01', '2026-04-05'])
          expect([system.firstSlotOf(day), system.firstSlotAfter(day)]).toEqual([
            named.firstSlotOf(day),
            named.firstSlotAfter(day),
          ]);
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    },
  );
});
