/**
 * English words that are near to a word of the lexicon and yet mean something else: "miss" is no "mass". They are never corrected. From SCOWL (size 35),
 * Copyright 2000-2011 Kevin Atkinson: permission to use, copy, modify, distribute and sell is granted without fee, with this notice.
 */
export const english: ReadonlySet<string> = new Set(
  `aback abacuse abating abetted abetting abide abiding able abode abort aborted aborting abound abscess absolve abused abuser abusive acceded accented
acceptable accosted accounted accused accusing ach ached achieve acidity acknowledgment acre acreage act acted activate activist actuality actuary add
addicted addiction additive addressed administration admit adoption adverse advised adviser advising advocated afar affection afflict afflicted afflicting
aggravate aggravated aground aide aided ail ailed ailing aim aimless air airtight alarming alga aliasing alight aligned alignment alike alliance allocate
allotted allying almighty alway amazing ambition ambling amounted amp amuse analogue analyse analysed analysis analytical analyze ancestor anger ant antibody
anuse aped apparel appeal appealed appealing appeased appeasing applicator appreciable appreciative approximate approximated apter arc arch archive archived
ardent arguing arise aromatic arouse arousing arraigned arrange arraying arrest arrive arriving arrow art ash ashed ass assent assert asserted asserting
assisted associate astound astride atom atone attach attract attribute auction audio auditing audition auditory augment auguster authenticate authored
autocratic automate automated automating autumnal availed availing avenged avert averted averting avoidable await awaited awarding awed awry ax axed axiomatic
babe babiest babying bade baggier baggiest bagging bailing bait baiting bake baked bald bale baled balking balling ban banding bandy bandying bang bani barb
barbering barbing bard bared barging barking barn barraging barreling barrier bartering bash bashed bashing basked basking baste basted basting bat bath
bathing batter battery batting baud bawling bay bayed beach beached beaching bead beading beaming beaning bearding beater beating beavering because become
bedside beef beg beggaring begin begun behalve behaving belched belching bellow belonged benched benching bequeath beset besiege beta bettered bettor bewaring
biase biased biasing bid binding binning bitter blacked blacken blacker blacking blaming blanch blanked blaring blasted blasting blazing bleach bleached
bleaching bleat bled bleeding blend blinded blinder blinding blindly blink blinking blobbed blobbing bloc blockade blockaded blockading blockhead blogged
blogger blond blondest blooded blooding bloomed blooming blotched blotching blotted blotter blotting bloused blow blowing bluffed bluffer blunted blurring
blushing boa boarded boarder boasted boat boating bob boldest bombard bond bonding boniest boo bookend booking boom boon boor boot booth boring bossiest
bossing bossy botch bounce bounded bounding bow boy bra bragging braiding braining braised braising brake brand brandied brandish brandying brat bravest
brawling breaded breadth breasted breasting breath breathed breather breathing bred breeding bribing bricked bricking brine bringing brink briny briskly
broach broached broaching broadcast broaden broader broker bronzing brooding brook brooked brooking broth brownest brunch brunching bucking buffed buffet
buffeted bugger buggier builder built bulb bulkiest bulky bull bum bummest bumpiest bun bunched bung bunk burliest burring bused bushiest buss butt butter
buttered buttery buy bye cab cabbing cabled cabling caching caddied caddying cage cagiest cajoled cake caked calendared calf caliber calk calked calking
calling calluse callusing calm calmed calmer calmness camel cameo camp camped campuse candied candying cane cankered canned cannery cannier canning cannon
cantered cap cape caped capering capping captained captaining caption captive captivity card cared caribous carnation caroling carouse caroused carousing carp
carped carrier carrion cased cash cashing casing cask cast caste castled casually catcalled categorize catered catering caucuse caucused caucusing caulking
caution cautious caw cease cede cell censure cent central certainly chaffed chafing chagrin chained chair chalkiest chalking channel channeled chanted
chanting chapped char charger chariot charisma charm charring chase chasing chasten chastest chat chatted chattier chatting cheaper cheated cheating checker
cheeked cheeking cheep cheeped cheeping cheery cheesed cheesing chef chequed chequer chequing chewier chewing chick chicken chiefly chilled chiller chiming
chin chinking chinned choicer choicest choosing chop chopped chopper chore choruse christen chroming chuck chucked chucking chuckled chuckling chugged
citation cite clack clacking clammed clan clanged clapped clapper clarification clarified clarity clashed clashing clasped clasping classed classify clause
clawing cleaned cleaner cleansed clearer clearest clearly cleaved cleaver clerking click clicked clicking climbed clinical cloak cloaked cloaking clocked clod
clogged clogging cloister clone closely closest closet closeted closeting clothed clothing clotted clouded clouding cloudy clout clouted clove clover clown
clowned clowning cluck clucked clucking cluster coaling coalition coarse coarsen coarser coasted coasting coaxing cock cod codding coded coding coerced
coercing coffined coiling coincidence coking cold collage collaring collated collation collecting collective college collusion colored coma comb combating
combine combing comet commanded commander commando commence commented commonly communicating communicative communicator communist commute commuted commuter
compact compacter compacting companion compass compassed compassing compassion compelled compete competent competing compile compiler compiling complex
complying compose composer composing comprise compromised compute computing comrade con concealing conceding conceit conceived conceiving concept conception
concern concert concerted concerting concession conclude conclusive concoct concocted concoction concreted concreting concurrence concurring concussion
condemned condemning condiment conditional conditioned condoned conduct conducted confection conference conferring confidant confided confidently confiding
confine confining confiscation conform conformed confused confusion congest congested congestion connecting connective connector connote connoting consent
consented conserved conserving consider consign consigned constrain constrained constraining contacting contagion container contempt contend contention
contest context continent contingent continuing contracted contradict contrary contrived contriving convection convene convent convention converge convert
conveyed conveying convict convicted convinced convulsion cooing coolest coop cop coping copious copping copying cord cording cored coring cork corking corn
cornered cornering corp correcter correctest correction corrector correlate correlating corrupt cot couched couching coughed coughing counter countered
countering countess country coupling courier coursed courser court courted courting cove coveted coveting cowered cowering cowing cracking cradled crafted
craftiest crammed cranked crap crated crating crawled creaked creaking creamed creased create creating creative creature credited creditor cremate cremated
cremation crested crib criminal cringed crippled crisped critically crock crooked croon crooned cross crossed crosser crossing crowd crowded cruised cruising
crushed crushing cub cue cuffing cull culled culling cult cum cup cupped cupping curator curbing curiously curling currant curried curry currying curt curtail
curtain curtained curtaining curtest curved curving custody customary cute cycling dab dabbing dagger dairy daisy dally dam dame damming damning damping
dancer dancing dandier dangerously dangled dank danker darn dart darting dashing dated daunting dawn dawning daze dazing deadlier deaf deal dean debased
debasing debuted decayed decaying decease deceased deceasing deceived deception decibel decide decidedly decisive deck decking declared declined decoded
decoder decreased decreed decreeing deduce deduced deducted deducting deduction deed deeded deeding deeming defaced defacing defaming defaulted defeating
defecated defecating defect defected defecting deference defied defiling deflation deflect deflecting deflection deftest defying deified deject dejected
dejecting dejection delaying delegated delegation delete deliver delusion delving demoted demotion density dent dented denying dependence dependent depicted
depicting depiction deplete depleted depressing derail derailing derided derision describe descriptive descriptor deserting destroy destruction detached
detaching detailed detailing detain detective detention deterred deterring detest detested detesting detract detracted detracting developer deviate deviled
deviling devise devised devotion dialing dialled dieting differed differently differing digested digress dilating diluted dilution dimmest dine dingier
dingiest dipping directed directing direction director direst dirtied disappear disarmed disarming disbanded disc discard discerned discharged discolored
disconcerted disconnect discontented discorded discounted discoursing discover disgust dish disjoint disjointing dismount dismounting dispatch displace
displayed disregarded distance distant distincter distinctly distort distract distribute distributing district disturb dittoed ditty divest divide dividend
divined diviner division docking dodging dogging doily doling doming donating donation donor doom dooming doping dosing doubled doubly doubted dowdier
downgraded downier downing downy dozing drafting drained drawling dread dreading dreamed dreaming dressier drier drifted drilled drip dripped dripping drone
drooled drooling droop drooped drooping drown drowned drowning drowsed drowsier drowsing dry dubbing ducking dude duding duel duet duke dump dumping dunging
dunking dupe duping duplication durable duskier dustier dwelling dy dying early earnest earthed earthier earthiest earthlier earthliest ease east eat eave
eddying editing eeriest effecting effectively eight eject ejected ejecting ejection eke elation elected electing elective elector elegant elusive elve emailed
emailing ember embitter emerged emergence emergent emission emitting empathy empire employed employer emptier emptiness enact enacted enameled encoded
encoding encored encoring encounter endowed endowing endowment endured enduring enjoyment enlisting enquire enquired enriched ensuing ensured entailed entered
entice enticed enticement enticing entirely entirety entitle entropy entwine enumerated envelop enveloped enviable environmental envying epithet erasing
erasure erected erecting erosion escalate escalating escorted estimate etched ether evasion eve evenest evermore evicting evident evoked evoking evolution ewe
exacting exalt exalting excavated excavation exceedingly excepted exceptional excerpt excerpting excessive excessively excise excursion excused excusing
execute executioner executive exempted exempting exemption exertion exhibition exhilaration exhorted existent exit exited exiting exoduse expecting expelled
experience experimented expert explained explode exploding exploit exploration explore exploring explosion explosive exporter exporting expose exposing
expound express expulsion extended extending exterminated extermination extolled extorted extract exulted exulting eyed facet faction factored factory faculty
fade fainted faintest fainting fair fake falsely falser faltered faltering fame fan fanning farce fared farewell faring farmer farming farther farthest
fascist fasted fasten fastener fated fatter fattest fattier fattiest faulted faze fear fearing feast feasted feather feathering featured feed feeding feel
feet feinting fellest felling felt felting fencing fending fester festered fettered feud feuding fever fib fibre fiction fiddled fiddling fielding fiendish
fig fight fighter figured figuring filing filled filler filleted filleting filling filly filmed filmier filthier finale finalise finalist finality finalize
finally finer finessed fingered fingering fir firmed firmer firmest firming firstly fissure fit fitter fittest fiver fixture fizzled flailed flailing flaking
flaming flanked flapped flaring flashed flashest flatted flatter flattest flawing fledged fleeted fleeter flesh fleshed fleshier flew flexing flied flighty
flinging flipped flipper flirted flirting floated flocked flog flogged floored floppier flossed floured flouted flow flusher fluster fluxing foamier foe fog
foiled foiling fold folder folding folly fondled fondling font foraged forbear forced forcep forcing ford forded foreman foremen foresting forever forfeit
forfeiting forged forging forgot forking form formal formatting formed formerly forming fort forte forward forwarded forwardest forwent foster fostered
fostering foulest founder founding foundry fount four foxed foxing fractional fracture fracturing frailer frailty freed freer freezer freight freshen freshest
freshmen fret fretting friction fried friending fright fringing fritter frittered frittering frog frond frontal fronted frost fruition fry fuel fulling
fullness function funding funnest furl furling furnish furnished furring gab gag gain gal gale game gape garb gase gasp gate gavel gay gaze gazetting gearing
gee gelding gem gene genera generally generation generic genital gent gentlest gentling gibe gifting glimmer gloving glowing glutting goad goading goat gob
gobbing gold golfing goner gonging goody goof goofing goon goosing gore gorging goring gosling gouging gout gowning graceful gram grape graphed graphic
grasped gratefully grater grating grave gravest gray grayest greased greasier greasiest greatly greatness greed greener greenest greening greeted grey grimmer
gripped gritting groaned groomed grooved groped groping grossed grouched grounded grouper groused grow growing growled grub guesting gum gun gusting gutting
haggled hairiest hale haling halve halving hampered hampering handed handier handiest handlebar handy hang hanged hapless happier hardened hardening hardier
hardiest hared haring harmlessly harpist harshest hart harvest hash hassled hassling hastened hastening hastiest hat hate hating hatting haunting haying haze
hazing headiest heady heal healing heaping hearing heart heartbreak heartfelt hearth heartily heartless heat heath heather heave heavenly heaviness heaving
heckled heckling heed heftiest heir helm helping hemp herb hero heroe herpe hided hike hiking hilt him hind hinging hint hinting hip hipper hippest hiring
hitching hither hoard hoarding hoarsest hoe hoed hog hoist hoisting holed holiest holing holy home homemade homiest hone honester honesty hood hooding hoofing
hooking hooping hoot hop hope hopping hording horsing hostage hostess hounding housing hove howl huddled huddling hugging hulking hulling hum humane humaner
humanly hundred hurdled hurdling hurting hut hyphened hyphening identifier ignited igniting ignorant ignored ill imitated imitation imitator impacted imparted
implement implementer imply importance importantly importing imposition impotent improper improve improvised inaction inanest incense incensing incest
incidence incidental incite incited incline inclining included incorrectly increased increasingly indebted indented indication indicted indifference
indifferent indistinct individually inefficient infected inference infest infested infidel infidelity infield infirm inflate inflated inflating inflation
informal informed informer inherent initialed initiate injected inked inn inquest inquire inquired inserted insider inspire instanced instant instigating
instigation instill instilled instinct instruct instructor insufficiently insulate insulated insulating insulation insured intelligent intensest inter
interact interacted intercept intercepted interception interject interjected interment internet interrupting intersect intersected intimated intimation
intrude intruding invaded invective inventor invest invested investigate investigator investor invocation invoicing invoking irritation issuing ivy jab jest
jeweled jeweler jewelry jog jointed jot joy judge judgment jugged juggled junk jury jut jute keel keeling keen keening kelp keyboard kid killer kiln kilned
kilo kinda kindle king kink kite kneeing kneeling knew knit knob knot knowing labored lacing lacked lacy lade laded lading lager lagged lagging laid lain lame
lamest lanced lander lane lapel lapped lapping lard larded lark larking larynge lash lashed lashing lass latched latching latent later lateraled latex lath
lathe latter laud lauded laughed launcher launder law laxest lay layered laying leaf leagued leak lean leap learned leash leashed leather leaved lectern
lefter leftest leg legged legging lending lengthen lengthy letdown lettered letting levee leveled lever libel libeled liberal liberally lice licking lid lied
lifelike lifeline lift lifting light lighting liken liker lilt lilting limbering lime limiting limping lined linen liner linger lingerie linker lisp lisped
lisping listen listened listening literacy literal lithest litter littering littler lived livelihood lively liven liver load loading loafing loaning loathed
loave lob lobbing locate locating locker locket lodged lodger lodging lofted lofting logger logical loin loll lolling lone longed longing longish lookout loom
loomed looming loon loonier looniest loop looped looping loosely loosen looser loosing loot looted looting lop lopped lopping lording losing lottery loud
loudness lounged lounging louse lousiest love lover lowed lowered lowlier lowliest lucked lucking lug lugged lugging lunched lung lunging lurched lute lynched
mace machete machined machinery macing mad maid mailmen maim maimed maiming main mainline majored majoring maker male maliciously mall mallard manacled
mandated manger mangier mangling mangy manlier manly manning mantling map mapping mar marbling marched marcher marching mare markedly marker market marketed
marketing marred married marring marrying marsh masked massage massaged massed massing mast master mastery math mating matrice matte matted mattered maturer
maturing maturity maul mauled mauling maximal mayor maze meal meanest meddling media mediate medical meet melt melting memento menaced menagery mending
mentally menthol mentored mentoring menu menus mere merge merger meridian merited meriting mesdame meshing messed messing meted metering meting metre mice
mien miking mile militated mime mince mincing minding mingling minimal minored minority minuet minuse minuted minuter minutest minuting mire misdeed mislead
misled misprint misread missile mission missive mist mistaken misted misting mistype misused misusing mitigate mixture moaning moat mob modeling moderated
moderately moderator modicum modulate moist molt molting mom momentum monarch monk monster mony moo mooed mooing moon mooning moot mooting moped moping moss
moth motivated motored motoring mounding mount mounted mounting mourning moussed moussing mouth mouthed mouthing movie movy mow mowed mowing muck mucking
muddling muddying muffing mugging mulch mulched mulching mule munch munched munching muse mused musing musk muss mussed mussing mustang musty mutated mutating
mutilated mutiny mutt mutter mutually nabbing nagging nailing naked nape napping narrate narrated narrating narration narrower narrowest nay nearby nearest
neatest neatly necking needled needling needy neighed neon nerving nest nesting nether networked newby newsier newsy nicer nich niche nick niece nigh nimbler
nit nitrated nod noe noisier noisiness noising noose norm normally nose nosiest notched notching noted noticing notified noting noun novice nowhere nude nuder
numbed numbered numbest numbing numerate nun nut nutting oaf oar obeying objected objector observe observer obsessed obsoleted obtained obtaining obvious
occupied odd oddest ode odor offence offended officer oftener oily olden omen opener openest operate operated operational operator opponent oppose opposition
opt optical optimal optionally optioned ordering ore organise organiser organism organist organizational organize organizer orgy orifice otter ouch ounce oust
ousting outdoing outdone outed outer outgrowing outlasted outlawed outlive outlying outraged outshine outsider outstandingly ovation oven overdid overdoe
overdone overdose overeating overgrew overhaul overkill overlap overlay overrating overrule overrun oversee oversight overt overtly overturn overuse
overweight owed owing owl oxen ozone pace pacific pack packaged pact pager paid pail pain paint painter pairing palace palate paler pall palling palming
pamper pan pang panicked panning pant panther papering par parading parakeet parch parched parching pared parentage paring park parking parred parring parsnip
parson parted partial particularly parting partition partnered party partying pass passable passage passed passer passing passport pasta paste pastier pasting
pasture pastured pasty pat patchy patho patter pattered pattering patterned pauper pausing pay payer pea peace peak peaking pealing pear pearled pearling peck
pecked pecking peddling peek peeking peel peeling peep peeping peering peeving peg pegging pelting pen pendant penning pension peopled pepped pepping perched
perching percussion perfect perforated perform performer perfumed periled periodic perk perked permissive perplex persistent persona personal pertest perused
perusing pervert pest peter petition petitioned petting petty pew phased phasing phoned phonied phonier phoning phony phrase phrased phrasing pickaxed picket
picketed pickier pickled picky pictured pieced pier pierce pierced pig piked pill pin pinching pine pinion pink pinked pinking pirating pitch pitched pitcher
pitching pitting pivotal pivoted placed placing plague plaice plaid plainer plainly plane planing plank planned planning plant planter plaster plateau plated
platformed plating plausibly playback playing pleading pleased pleasure plod plodded plopped plotted plotting plow plowing plucked plug plugged plum pluse
plush poached poaching pod podding pointed pointer poising police policed polished poll pomp pontoon pooling poop pooped pooping pope poplar populace
popularly populate porpoise port portability portable portent portico porticoe portioned portray positional positioned positively post postage postman
postpone postured pot potion potted pottery pouched pouching pounding pout practical practiced practise practised praised praising pray precedence precious
precise preciser precisest predict predicting predictor preeminent prefect preserve president pretend pretense pretext prevalence prevent previously preying
pricing prick pricked prickled prim priming princess printed printer prior privier privileged prizing pro probable probed processed procession processor
procure procured procuring profess profession profited profuse progeny programme progressed progressing progressive project projected projection prolong
prominence prominently promised promote promotion prompted prompter prone proofing prop proponent proportional proportioned propose proposed proposition
propped propping prosecuted prosecution prospected protecting protective protein protest protested protracted prouder provable provably provide provided
providence proving provision prowess prowler prowling prudence prudent pruning psyched psyching publish publisher puck pudding pulp pulsate pulsing pun
punched punching puncture punished punitive punt punting pupped purging purport purposed purring purse pursing pursuing putt quack quacked quainter quaintest
qualify quantify quarrel quartered quarterly quartet queened queered queerest quelled queried quested questing questioned quicken quieter quilt quilted
quipped quirk quirked quitter race raced raciest racing racking radii radioing rafted rafting rag raged ragging raging raid raided raiding rail railed railing
rain rained raining raisin rake raking rallied rally ram ramming ranch ranched rancher ranger ranging rank ranker ranking rankled rant ranting rap rape raped
rapider rapidity raping rapped rapping rapport rared raring rash rasher rashest rasping rat ration ratted ratting rattled rattler rattling rave raved raving
ravished ravishing rawest ray raze razed razing reached reaching reacted reacting reactor readable readied readier ready readying realest realise realised
realising reality realm realty reaming reaping rearing rearranged reasoned rebated rebating rebelled rebind rebuilt rebutted recant recanted recanting receded
receipting reception receptive recline recoiled recorder recount recouped recouping recover recovered recreation recurred recurrent reddened reddening reddest
redo reducing reduction reed reefing reeking reel reelect reelected referee reference referenced referring refining reflect reflected reflection reflective
reformed reforming refrained refraining refresh refueled refugee refunded refuse refuted refuting regained regaining regal regarded regent regimen regional
registrar registry regress regression regulating regulation rehearse rehearsed rehearsing rejecting rejoinder rejoined rejoining relapse relate relational
relatively relaxation relaxed relaxing relayed relaying relegate relent relented relevance reliable reliant relieving reloaded relocated relocating relocation
remained remarked remedial remedied reminder reminding remorse remote renamed rend renovation renting reorganization reorganized repairing repeal repealed
repealing repeatedly repeating repented repenting replacing repleting replied reportedly reporter reposing represent reprieve reprieved reprint reproduce
reproduced reproducing reprogram reprove reproving repudiate repudiated repudiation reputing requiem require requiring rerouted rerouting rescinding resented
reserving residing resilient resistor resolute resolving resort resorted resorting resound resounding respected respecting responded responsibly responsive
resting restrained restraint retailed retailer retainer retaining retard retarded retarding retched retching reticent retirement retort retorted retorting
retracted retraction retreat retrieval retrieved retriever returned returning reunion reused rev revealing revenged revered reverence reverse reversed
reversing reverting reviled reviling revised revision revived revoke revoking revolting revolution revolve revolved revolver revolving reward rewarded
rewarding rewind rewritten rib ribbing ricing ride ridging riding rifting rig rigging righted righter rightly rigidly rim rimming rind ring rink rinsing
rioting rip ripen ripened ripening ripped rippled rise riser riskier risking rite riveted road roaming roaring roasting rob robbing robe robing robuster
rockiest rode roe roller rolling romping roof roosted rooster rooter rooting rope rosiest roster rot rotate rotating rotation rotted rotting roughed roughen
rouging round rounder rounding route routed routing royally rub rude rue rued ruffling rug ruin ruing ruining ruled ruler rum rumbling rumored rumoring
rumpling rune rung runnier runt ruse rustiest rusting rustling rut rutting sack sacking saddest sadistic saga sage sagest sagging sail sailing salient
sallower sallowest sally salt salting salve salving sameness sampler sandier sanest sang sank sapling sapping saturation saucing sausage saving savoring
savvied savvying sawed sawing scab scabbed scalded scalding scale scaling scalloped scalped scamper scanning scant scanted scanter scantier scar scarcer scare
scared scarfing scarier scariest scaring scarring scatter scent scented scenting schooner scolded scoped scorched scored scorer scoring scorn scorned scorning
scoured scouring scowled scowling scrapping screech screened screwed scripting scuff scuffed scum scummed scumming scuttled sea sealing seam seaming sear
seared seaside seating seceding secession seconded seconding secondly securely securest securing sedating seedier seeding seedling seedy seeking seeming
seeping seethed seething segment seize seizing selector selling senator senior sensing sensory separate separator serener serenest serenity seriously serve
served serviced servile setback settle settler settling seventh several severed severer severest severing sewn shabbiest shack shaded shadiest shadowed
shadowing shafting shaggiest shakier shallower shamed shamming shapely sharing shark sharked sharking sharp sharped sharper sharping shatter sheared shedding
sheen sheered shell sheller shelter shelved shifting shingle shingled shinier shiniest shining shinning ship shipped shipping shire shirked shirt shoaling
shocked shocking shod shoe shoeing shoo shooed shooing shoot shooting shop shopped shopper shopping shore shortage shorten shortlist shortness shoulder
shouting shoved shoving shower showered showering showman showy shred shrimping shuck shunned shunning shunt shutter shutting shuttled shy shying sibling sick
sicking sided sidle sidling sieving sift sifting sighed sighting signaled signer signify signing signpost silently silt silting simmer simple simpler simplex
simplify simulation sincere sing singe singed singled singly sinned sipping sir sire siring sited siting situate six sixpence sized sizer skate skating
sketched skewing skill skim skimmed skimming skimp skin skinning skipped skipper skipping skis sky skying slab slack slacked slag slaking slam slammed
slamming slander slap slat slate slating slave slaved slaving slaying sledding sleeting slender slew slewing slicked slid sliding slight slime slimmer
slimming slip slipped slipper slippery slipping slope slopped slot slotted slotting slow slowed slowing slowness sluice sluiced slum slumber slummed slummer
slumming slumped slut smack smallish smart smarted smarting smeared smell smelled smellier smelliest smelting smite smiting smokiest smolder smoothing smut
snack snagged snaking snare snared snaring snarling sneak sneakiest sneezed snide snip snipped snippet snipping snitch snitched snooped snooze snore snored
snoring snorted snot snow snowed snowiest snowing snuff snuffed snuffer soaking soapiest soaping soared soaring sob sock sod sodding soft solacing sole soled
solemnly solidly soloed solution solve soot soothing sootier sop sopped sopping sorcery sore sorely sorest sorta sorting sounder soundly sourced sourest
souring sow sowed sowing spacing spading spangle spangling spanked spanking spanned spanner spare spared sparing sparking sparring spate spatted spatter
spatting spawned spawning spay spaying speaker spear spearing specified specifier specify specious speck specked specter sped speeding spelt spending spent
spew spewed spewing spice spiced spicing spied spiking spinning spit spite spitted splat splice spliced splicing splint splinting spoiled sponged sponging
sponsor spoon spooning spore sport sporting spottier spotting spout spouted spraining sprang spray spraying spreeing spriest sprig springy sprint sprinting
sprouted sprucing sprung spun spurious spurning spurring spurting sputter spy spying squared squarest stab stable stablest staffed stag stagger stake staked
staler stammer stanched stanching standby staple starch starched starching starchy stare starker starred starring starter startled startling starved starving
stately stater stating station statistical statuse stave stayed staying steak steal stealing steaming steeling steep steeped steeper steeping sterner stewing
sticker sticky stiff stiffer stigma stilled stillest stilted stinging stink stinking stinted stitch stitched stocking stoked stoking stole stomped stoned
stonier stoning stony stooped stooping stop stoppage stopper stoppered store stork storm stormed storming stormy stouter stoutest stow strand stranding
strange strapping stratum straw strawing streaming strewed stricter striking string stringing stringy stripe striping stripper striving stroked stroking
strummed strumming studding studied stuffier stuffy stumping stun stunk stunned stunted stupider stupidly style stylistic suave subjected subscribe subsisted
subvert successfully successor suckering sue sued suffered sufferer sufficed sufficing suffixing sugared suggest suing suited suiting sulkiest summarily
summered summering summing summoned sundae sundial sundry sung sunk supplest surer surf surface surfing surge surging surliest surname surpassed surplus
surplussing surprising survive suspect suspected suspend suspender suspense suspicion suspiciously swallow swarming swat swathed swatting sway swaying sweat
sweating swell sweller swellest swerved swigged swill swimming swindle swished switcher swoon swore swum syringe tab tabbing tabled tablet tabling tactical
tail tailing talk talker tallied tallying tamed tamer taming tan tang tangent tangled tangling tangoed tangoing tanked tanning tapering taping tapping tar
targeted tarring tart tartest tasked tasted tasting tax taxable taxiing taxing tea teak tear tearing teasing teat tee teed teem teeming teen teethed
telephoned telling tempering tempted ten tenable tenancy tenanted tend tending tensing tent tented tenting terminate terminating test teste tester thatcher
theatre thee thereon thicken thicker thickest thicket thin thirsty thistle thong thorough thought threaded threading threaten three threshed threw thrifty
throb throughput thrown thus tick ticked ticketed tickled tide tilling tilting timber timbering timelier timid timider ting tinging tinning tip tipped tipping
tire tit titled toad toasted toe toil tolerate tolling tome tonal topical topped toppled totaled tote tough tour tout tow towered traced tracing tragedy
trailed trailer train trait trapped trapper trapping trashed trawl trawled tray treachery tread treading treating trebled trebling tree treed treeing trekking
tremble trenching trendier trendy trial trialed triangle tricked trickled tried trimmer trinket trip tripled triplet tripling tripping trooped tropical trot
trotted troubled trounce trouped truanted truce truck trucked trudged trued truer trumped tub tube tuck tufting tug tugged tugging tune tuned tuning turbine
turf turfed turfing turner tusk tutored tutoring twanged twanging tweaked tweaking twigged twigging twinged twining twisted tying typed tyre udder unarmed
unbearable unbeatable unbiased unbreakable uncover undamaged undefined undergo underlay undermined understate understated understood underwear undoe undoing
undress undressed unexplained unfilled unfit unfitted unfolded unheard unintended uniquely uniquer uniquest unite unity unleash unloaded unlocked unlocking
unlucky unmarked unmasked unnamed unpacked unproven unprovoked unpublished unraveled unreal unreliable unscathed unsigned unsuccessfully untie untrained
unusual unveiled unwashed upended upset upstanding upstarted upturned upturning upwardly urn uselessly usher usually vague validly valued valve vary veer
veering veining vending venerable venison vent venting verb versing vertically vial vibration vied viewer vilified violating visa visioned vocation volition
vomited voucher wadding waddled waffled wafting wagging waif wail wailing waist waited waive waiver waiving wakening walked walking wallet walling wallowed
waltzed waltzing wand wander wandering wane waning wanting warbled warbling ward warding warming warping warring wary wash washing washout wasp wasting wave
waved wavy waxy weakened weakest weakling weakly wean weaning wear wearied wearier wearily weariness wearying weather weave weaving webbing wedding wedging
wee weed weeding weekended weep weeping weer weigh weighed weighted weighty welding welled welling wept west whaling whatsoever wheat whenever wherever
whetted whew whiled whiling whim whine whining whipped whirled whistle white whitest whittle wide widow width wield wife willed wilting winched wind windier
wine winger winking winner winning wintered wintering wintrier wipe wiser wish wishing wisp wist wit witch witched witching withdraw withdrawal withdrawing
withdrew wittier wok wolfing wondered wood woodier wooding woofing worded wordier wording wordy worker workman workmen worldly wormed worming worried worrying
worsen worsting wounder wrapper wreak wreaking wren wright wring wringer writ writhed writing wronged wrongly wrung yearn yese yeti youngster zoned`.split(
    /\s/,
  ),
);
