/** The icons of pages by id; a star for pages without one. */
import ApartmentRounded from '@mui/icons-material/ApartmentRounded';
import AssessmentOutlined from '@mui/icons-material/AssessmentOutlined';
import AutoAwesomeRounded from '@mui/icons-material/AutoAwesomeRounded';
import BlurOnRounded from '@mui/icons-material/BlurOnRounded';
import BugReportOutlined from '@mui/icons-material/BugReportOutlined';
import DnsOutlined from '@mui/icons-material/DnsOutlined';
import FactCheckOutlined from '@mui/icons-material/FactCheckOutlined';
import GppMaybeOutlined from '@mui/icons-material/GppMaybeOutlined';
import GridViewRounded from '@mui/icons-material/GridViewRounded';
import HealthAndSafetyOutlined from '@mui/icons-material/HealthAndSafetyOutlined';
import HelpOutlineRounded from '@mui/icons-material/HelpOutlineRounded';
import MailOutlineRounded from '@mui/icons-material/MailOutlineRounded';
import ManageSearchRounded from '@mui/icons-material/ManageSearchRounded';
import MarkEmailReadOutlined from '@mui/icons-material/MarkEmailReadOutlined';
import NotificationsOffOutlined from '@mui/icons-material/NotificationsOffOutlined';
import PeopleOutlineRounded from '@mui/icons-material/PeopleOutlineRounded';
import QueryStatsRounded from '@mui/icons-material/QueryStatsRounded';
import SensorsRounded from '@mui/icons-material/SensorsRounded';
import SettingsOutlined from '@mui/icons-material/SettingsOutlined';
import SpaceDashboardOutlined from '@mui/icons-material/SpaceDashboardOutlined';
import SpeedRounded from '@mui/icons-material/SpeedRounded';
import StarOutlineRounded from '@mui/icons-material/StarOutlineRounded';
import WorkOutlineRounded from '@mui/icons-material/WorkOutlineRounded';

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
  ['outbox', MailOutlineRounded],
  ['casereviews', FactCheckOutlined],
  ['attack-indicators', GridViewRounded],
  ['vulnerability', BugReportOutlined],
  ['reporting', AssessmentOutlined],
  ['responses', HealthAndSafetyOutlined],
  ['mailsubscriptions', MarkEmailReadOutlined],
  ['suppressions', NotificationsOffOutlined],
  ['events', QueryStatsRounded],
  ['intelligence', BlurOnRounded],
  ['sapphire', AutoAwesomeRounded],
]);

export function PageIcon({ id }: { id: string }) {
  const Icon = icons.get(id) ?? StarOutlineRounded;
  return <Icon aria-hidden />;
}
