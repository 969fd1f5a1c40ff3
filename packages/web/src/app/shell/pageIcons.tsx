/** The icons of pages, by their ids; a star for whatever has none. */
import ApartmentRounded from '@mui/icons-material/ApartmentRounded';
import DnsOutlined from '@mui/icons-material/DnsOutlined';
import GppMaybeOutlined from '@mui/icons-material/GppMaybeOutlined';
import HelpOutlineRounded from '@mui/icons-material/HelpOutlineRounded';
import MailOutlineRounded from '@mui/icons-material/MailOutlineRounded';
import ManageSearchRounded from '@mui/icons-material/ManageSearchRounded';
import PeopleOutlineRounded from '@mui/icons-material/PeopleOutlineRounded';
import SettingsOutlined from '@mui/icons-material/SettingsOutlined';
import SpaceDashboardOutlined from '@mui/icons-material/SpaceDashboardOutlined';
import StarOutlineRounded from '@mui/icons-material/StarOutlineRounded';

const icons = new Map<string, typeof DnsOutlined>([
  ['dashboard', SpaceDashboardOutlined],
  ['devices', DnsOutlined],
  ['alerts', GppMaybeOutlined],
  ['settings', SettingsOutlined],
  ['faq', HelpOutlineRounded],
  ['users', PeopleOutlineRounded],
  ['clientdetails', ApartmentRounded],
  ['audit', ManageSearchRounded],
  ['outbox', MailOutlineRounded],
]);

export function PageIcon({ id }: { id: string }) {
  const Icon = icons.get(id) ?? StarOutlineRounded;
  return <Icon aria-hidden />;
}
