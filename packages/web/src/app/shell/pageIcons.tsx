/** The icons of pages by id; a star for pages without one. */
import { ApartmentRounded } from '../../kit/icons/ApartmentRounded.tsx';
import { AssessmentOutlined } from '../../kit/icons/AssessmentOutlined.tsx';
import { AutoAwesomeRounded } from '../../kit/icons/AutoAwesomeRounded.tsx';
import { BlurOnRounded } from '../../kit/icons/BlurOnRounded.tsx';
import { BugReportOutlined } from '../../kit/icons/BugReportOutlined.tsx';
import { DescriptionOutlined } from '../../kit/icons/DescriptionOutlined.tsx';
import { DnsOutlined } from '../../kit/icons/DnsOutlined.tsx';
import { FactCheckOutlined } from '../../kit/icons/FactCheckOutlined.tsx';
import { GppMaybeOutlined } from '../../kit/icons/GppMaybeOutlined.tsx';
import { GridViewRounded } from '../../kit/icons/GridViewRounded.tsx';
import { HealthAndSafetyOutlined } from '../../kit/icons/HealthAndSafetyOutlined.tsx';
import { HelpOutlineRounded } from '../../kit/icons/HelpOutlineRounded.tsx';
import { MailOutlineRounded } from '../../kit/icons/MailOutlineRounded.tsx';
import { ManageSearchRounded } from '../../kit/icons/ManageSearchRounded.tsx';
import { MarkEmailReadOutlined } from '../../kit/icons/MarkEmailReadOutlined.tsx';
import { NotificationsOffOutlined } from '../../kit/icons/NotificationsOffOutlined.tsx';
import { PeopleOutlineRounded } from '../../kit/icons/PeopleOutlineRounded.tsx';
import { QueryStatsRounded } from '../../kit/icons/QueryStatsRounded.tsx';
import { SensorsRounded } from '../../kit/icons/SensorsRounded.tsx';
import { SettingsOutlined } from '../../kit/icons/SettingsOutlined.tsx';
import { ShieldOutlined } from '../../kit/icons/ShieldOutlined.tsx';
import { SpaceDashboardOutlined } from '../../kit/icons/SpaceDashboardOutlined.tsx';
import { SpeedRounded } from '../../kit/icons/SpeedRounded.tsx';
import { StarOutlineRounded } from '../../kit/icons/StarOutlineRounded.tsx';
import { VisibilityOutlined } from '../../kit/icons/VisibilityOutlined.tsx';
import { WorkOutlineRounded } from '../../kit/icons/WorkOutlineRounded.tsx';

const icons = new Map<string, typeof DnsOutlined>([
  ['dashboard', SpaceDashboardOutlined],
  ['risk-score', SpeedRounded],
  ['devices', DnsOutlined],
  ['agents', SensorsRounded],
  ['alerts', GppMaybeOutlined],
  ['cases', WorkOutlineRounded],
  ['settings', SettingsOutlined],
  ['faq', HelpOutlineRounded],
  ['users', PeopleOutlineRounded],
  ['clientdetails', ApartmentRounded],
  ['audit', ManageSearchRounded],
  ['accesslog', VisibilityOutlined],
  ['outbox', MailOutlineRounded],
  ['operations', SpeedRounded],
  ['casereviews', FactCheckOutlined],
  ['attack-indicators', GridViewRounded],
  ['vulnerability', BugReportOutlined],
  ['reporting', AssessmentOutlined],
  ['responses', HealthAndSafetyOutlined],
  ['mailsubscriptions', MarkEmailReadOutlined],
  ['deliveries', SensorsRounded],
  ['billing', DescriptionOutlined],
  ['identities', PeopleOutlineRounded],
  ['rules', ShieldOutlined],
  ['exceptions', NotificationsOffOutlined],
  ['events', QueryStatsRounded],
  ['intelligence', BlurOnRounded],
  ['sapphire', AutoAwesomeRounded],
]);

export function PageIcon({ id }: { id: string }) {
  const Icon = icons.get(id) ?? StarOutlineRounded;
  return <Icon aria-hidden />;
}
