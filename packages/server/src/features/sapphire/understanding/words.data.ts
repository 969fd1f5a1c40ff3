/** Vocabulary: synonyms, stop words, and everyday English words that are no names. */

/** One group of synonyms per line. The first is the form used in the examples. */
export const synonyms: readonly (readonly string[])[] = `
  count number total amount quantity tally counts totals numbers size headcount volume volumes tot qty
  list show display enumerate see view pull fetch shows listing table find bring grab feed print output
  case cases incident incidents ticket tickets investigation investigations tix tkt tkts caseload caseloads backlog inc incs casework
  alert alerts detection detections alarm alarms warning warnings hits alerting alerted detected events
  trend trends develop develops evolve trending graph chart evolution timeline trajectory plot curve evolved developing developed development upward downward history trendline
  rise rising increase increased increasing growing grown grow decrease decreasing decreased falling fallen dropping dropped spike spikes climbing drop climb fall
  top most common commonest frequent frequently often noisiest noisy busiest highest biggest largest loudest main leading prevalent dominant greatest chattiest popular oftenest mostly mainly noise rank ranked ranking offender offenders culprit culprits talkers suspects usual spam spamming predominant recurring repeated
  rule rules type types kind kinds category categories signature signatures sort sorts
  device devices host hosts machine machines server servers workstation workstations computer computers laptop laptops endpoint endpoints asset assets box boxes pc pcs datasource hostname source fleet estate system systems node nodes kit desktop desktops macbook
  user users account accounts person people employee employees username usernames identity identities staff colleague who login logins
  technique techniques tactic tactics mitre ttp ttps att&ck attck method methods
  risk risky riskiest riskier dangerous danger exposed exposure threatened worry worried worrying concern concerned worst threat problematic liability hazard headache troublemaker compromised weakest weak unsafe insecure suspicious trouble
  score scores rating posture scored scoring grade stand
  improve lower reduce improving reducing lowering better improvement improvements improves lowers reduces shrink cut harden strengthen safer recommendation recommendations recommend advice tips
  trigger triggered raise raised cause caused fire fired flag flagged generate produce
  explain explanation describe mean means meaning detail details elaborate interpret understand clarify background
  summarise summarize summary recap overview brief briefing digest rundown sum report tldr wrap story narrative highlight highlights nutshell roundup gist synopsis outline
  change changed changes new news different missed miss updates update newly developments handover
  happened happen happening happens occurred
  compare compared comparison versus vs comparing than difference relative contrast contrasted busier quieter
  response responses isolation isolations isolate blocked block blocks quarantine actions action remediation remediations requests request approval approvals pending approve responding lock locked disabled quarantined remediate mitigation mitigations
  time times long quickly fast quick speed mttr mtta mttc minutes hours slow sla slas turnaround duration average speedy avg mttd prompt promptly
  acknowledge acknowledged contain contained resolve resolved respond react targets target resolution containment resolving acknowledging
  vulnerability vulnerabilities vulnerable vuln vulns cve cves weakness weaknesses patch patches patching unpatched exploited exploit exploits exploitable finding findings advisory advisories outdated kev epss cvss mend hole holes flaw flaws
  coverage covered cover blind blindspot blindspots spot spots gap gaps visibility visible detect detectable matrix
  install installing installation deploy deployment deploying setup enrol enroll enrolment onboard connect roll rollout hook installer installed rolling
  agent agents sensor collector collectors winlogbeat beat beats shipper auditbeat filebeat
  help capable abilities ability skills commands capabilities answer able
  week weekly
  password passwords passphrase
  invite add adding create creating inviting make making
  phone mfa 2fa factor authenticator
  theme dark light colours colors appearance look looks
  key keys token tokens api
  export download csv exporting downloading excel spreadsheet
  zone timezone clock
  industry sector peers benchmark
  offline silent
  secure secured safe protected security
  computed calculated derived compute calculate`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(' '));

export const stop = new Set(
  `a an the of in on is are was were be been being do does did done we our ours i me my mine you your to for with and or please can could would
  should there have has had having that this these those it its any all at by from us get got right now currently present just only really also some
  so if then about into per each every as up out off over under ever yet still here they them their he she his her will shall may might must let
  lets want need like tell give know much many more less far want got hey hi hello ok okay thanks thank kindly what which whose whom when where
  am im i'm ive i've we've what's whats that's there's who's let's don't didn't isn't aren't wasn't haven't hasn't not no yes but because since
  during between while within across per among look looking go going went come coming came one ones first last next both either
  against lately recently moment pls plz guys gimme wise terms actually
  same other another such very too own seen said says say`
    .split(/\s+/)
    .filter(Boolean),
);

/** Known words that are no names and carry no meaning. */
export const plainWords =
  `security portal client clients customer customers company companies organisation organisations organization organizations tenant tenants
  network environment environments everything anything something anyone everybody nobody everyone someone us days day weeks months month years year today yesterday hour minute
  morning evening night start starting beginning end ending recent recently lately latest newest oldest old open opened closed close assigned unassigned investigating escalated
  malicious benign critical high medium low informational info severe serious important urgent severity severities status statuses state states priority prioritise prioritize
  reporting stale isolated online offline silent windows linux mac macos ubuntu debian redhat centos platform team analyst analysts activity attack attacks attacker attackers
  threats breach breaches issue issues problem problems thing things stuff data information info figure figures page pages screen button menu tab
  happened result results way ways work working works use using used set put take takes taken keep kept run running send sent sending ask asked question questions
  good bad big small large little whole entire general main quick short simple fully currently daily monthly quarterly yearly annually
  seeing affected affecting involving involved related concerning regarding caused generating generated generate produced producing raising responsible behind
  hit targeted targeting named called ours mine percent percentage share rate rates level levels overall
  monday tuesday wednesday thursday friday saturday sunday weekend january february march april may june july august september october november december
  quarter half couple few zero two three four five six seven eight nine ten twelve twenty thirty hundred
  manager boss chief auditor board ceo ciso cfo meeting morning ourselves myself yourself name names email mail address phone number reset forgot forgotten lost remember changing change setting settings
  profile logout signin sign sir madam sapphire assistant bot why how better worse compared handle handled handling treated treat waiting wait outstanding unresolved active
  pending resolved finished false positive positives negative true real actual currently ongoing progress process verdict verdicts judged judge rated decision outcome inconclusive undetermined insufficient likely probably presumably
  tag tags tagging filter filters filtering search saved views shortcut shortcuts keyboard theme colour color suppress suppression suppressions exception exceptions silence
  rotate install uninstall remove delete disable enable turn switch configure configuration config upload import view dashboard faq
  ingest syslog rsyslog powershell command commands script scripts file files folder yml winlog beats elastic package version versions upgrade upgrading updating
  human someone support helpdesk contact talk speak chat agentless operator live real person phone call ticket escalate
  industry average peers sector compared comparison percent above below at least
  soc siem edr xdr mdr ioc iocs log4j log4shell office365 o365 m365 sentinel through pose rack flare suffer trouble drag blow blew lit whats tldr gimme pls plz shut
  brute force phishing malware ransomware spraying miner scan scanning login logon sign-in failed failure password
about above accept accident across act actual add after afternoon age ago agree ahead air allow almost alone along already always amazing answer anyone apart appear area argue arm arrive art article asap aside attach attention audience audit aware away awful awesome back badly base basic basically because become before begin behind believe beside besides beyond birthday bit body book boring bottom break breakfast bring broken brother build building burn business busy buy calm cancel car care careful carry catch certain certainly chance check child choice choose city class clean clear clearly close coffee cold collect comes coming comment complete completely concern condition confirm confused consider continue control cook cool correct cost country couple course cover crazy crime cross current customer cyber damage dangerous dark date dead deal dear decide deep definitely degree deliver depend desk detail difference different difficult dinner direct direction discuss doctor door doubt drink drive drop early earth easily easy eat education effect effort either else employee empty energy engine enjoy enough enter especially even evening event ever exact exactly exam example excellent except exciting exist expect expensive experience expert explain eye face fact fail fair fall family famous fan far fast father favorite favourite fear feel feeling few field fight fill film final finally fine finger finish fire fit fix floor fly focus folks follow following food foot force forget form forward free fresh friend front fun funny future game garden gather general gentle gift girl glad glass goal gonna gotta government great green ground group grow guess guest guide guy guys half hand hang happy hard hardly hat hate head health hear heart heavy high hill history hit hold holiday holidays home hope hospital hot hotel house however huge human hundred hungry hurry hurt husband idea if imagine immediate immediately impact important impossible include including indeed inside instead interest interested interesting internet into invite involve island item job join journey joy judge jump keep kid kill kitchen knew knowledge lady land language laptop large late later laugh law lead learn least leave left leg legal lesson letter lie life lift line link listen literally live local lock lonely longer lose loss lot lots loud love low luck lucky lunch machine mad mail management mark market marry matter maybe meal meant measure medicine member memory mention message middle might mind mine minute mistake modern moment money mood mostly mother mountain mouth move movie music natural nature near nearly necessary neck need negative neither nervous never nice night noise none normal normally north note nothing notice obvious obviously occasion odd offer office often oh oil older once online opinion opportunity option order ordinary original otherwise ought outside owner pain paint pair paper parent park part particular partner party pass past path pay peace people perfect perfectly perhaps period permission personal perspective phone photo pick picture piece pizza place plain plan planet plant play plenty plus point police policy poor position possible possibly post potential pound power practice prefer prepare presentation president press pretty prevent price print private probably problem procedure process produce product program project promise proper properly protect prove provide public pull purchase purpose push puts quality quarter queen question quickly quiet quite race radio rain raise ran range rather reach read ready real realise really reason reasonable receive recent recognise recommend record red regard regards regular relate relationship relax release remain remind remote rent repeat reply represent require research rest restaurant result return review rich ride ring rise river road rock role room round rule rush sad safe safely safety salary sale salt sand save scared scary school science sea search seat second secret section seem seems sell sense sentence separate serious seriously serve service several shape share sharp shift ship shirt shoe shop short shortly shot shoulder shout shut sick side sight silly similar simply single sister sit site situation size skill skin sky sleep slowly smart smile smoke snow social soft software soldier solution solve somebody somehow somewhere son song soon sorry sound south space spare spend spent spread spring square stage stairs stand standard star state station stay steal step stick stone stop store storm straight strange street stress strong student study stupid style subject success successful such sudden suddenly suffer sugar suggest suit summer sun supply support suppose supposed sure surely surface surprise survey sweet swim system tea teach teacher tear technical technology telephone television tend terrible test text thanks themselves theory therefore thick thin think thirsty though thought thousand throw thus ticket tidy tie till tired together tomorrow tonight tool tooth touch tough tour toward towards town track trade traffic train travel tree trip trouble truck true trust truth try trying turn twice ugly uncle understand unfortunately university unless until unusual upset useful useless usual usually vacation value variety vary various vast village visit voice vote wake walk wall war warm wash waste watch water wave wear wedding weekend weigh weird welcome west wet whatever whenever whether while white whole wide wife wild willing win wind window wine winter wish woman wonder wonderful wood word words work worker world worth wow write wrong yard yeah year yep yes yesterday young your zero thing poem firewall firewalls buy sell eat leave holiday picked picking grab handover hand over shift takes needs looks seems feels gets gives makes keeps goes hears compare sense plainly simply roughly approximately exactly highlight highlights important summary boss team stakeholders customers
    plate queue weather joke poem capital president football recipe translate song movie story lottery stock bitcoin price`
    .split(/\s+/)
    .filter(Boolean);
