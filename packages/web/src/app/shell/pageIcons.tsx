/** The icons of pages, by their ids; a star for whatever has none. */
import ApartmentRounded from '@mui/icons-material/ApartmentRounded';
import BlurOnRounded from '@mui/icons-material/BlurOnRounded';
import DnsOutlined from '@mui/icons-material/DnsOutlined';
import FactCheckOutlined from '@mui/icons-material/FactCheckOutlined';
import GppMaybeOutlined from '@mui/icons-material/GppMaybeOutlined';
import HelpOutlineRounded from '@mui/icons-material/HelpOutlineRounded';
import MailOutlineRounded from '@mui/icons-material/MailOutlineRounded';
import ManageSearchRounded from '@mui/icons-material/ManageSearchRounded';
import MarkEmailReadOutlined from '@mui/icons-material/MarkEmailReadOutlined';
import NotificationsOffOutlined from '@mui/icons-material/NotificationsOffOutlined';
import PeopleOutlineRounded from '@mui/icons-material/PeopleOutlineRounded';
import QueryStatsRounded from '@mui/icons-material/QueryStatsRounded';
import SettingsOutlined from '@mui/icons-material/SettingsOutlined';
import SpaceDashboardOutlined from '@mui/icons-material/SpaceDashboardOutlined';
import StarOutlineRounded from '@mui/icons-material/StarOutlineRounded';
import WorkOutlineRounded from '@mui/icons-material/WorkOutlineRounded';

const icons = new Map<string, typeof DnsOutlined>([
  ['dashboard', SpaceDashboardOutlined],
  ['devices', DnsOutlined],
  ['alerts', GppMaybeOutlined],
  ['cases', WorkOutlineRounded],
  ['settings', SettingsOutlined],
  ['faq', HelpOutlineRounded],
  ['users', PeopleOutlineRounded],
  ['clientdetails', ApartmentRounded],
  ['audit', ManageSearchRounded],
  ['outbox', MailOutlineRounded],
  ['casereviews', FactCheckOutlined],
  ['mailsubscriptions', MarkEmailReadOutlined],
  ['suppressions', NotificationsOffOutlined],
  ['events', QueryStatsRounded],
  ['intelligence', BlurOnRounded],
]);

export function PageIcon({ id }: { id: string }) {
  const Icon = icons.get(id) ?? StarOutlineRounded;
  return <Icon aria-hidden />;
}
