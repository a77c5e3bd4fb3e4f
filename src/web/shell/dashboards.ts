import { ChartGantt, CircleDollarSign, FolderTree, HeartPulse, type LucideIcon, Wrench } from 'lucide-react';
import type { DashboardName } from '../../domain/page-paths.ts';

interface DashboardView {
  readonly label: string;
  readonly icon: LucideIcon;
  /** As a command of the palette. */
  readonly command: string;
}

/** How the rail, the palette and the headings show each dashboard. */
export const DASHBOARD_VIEWS: Readonly<Record<DashboardName, DashboardView>> = {
  cost: { label: 'Cost', icon: CircleDollarSign, command: 'Show cost' },
  timeline: { label: 'Timeline', icon: ChartGantt, command: 'Show timeline' },
  tools: { label: 'Tools', icon: Wrench, command: 'Show tools' },
  files: { label: 'Files', icon: FolderTree, command: 'Show files' },
  health: { label: 'Health', icon: HeartPulse, command: 'Show health' },
};
