// Every public type of Patchbay beside modules with the names of Alamofire, Vapor and WidgetKit, in one file that imports all four. A name
// that another module has too is written with its module, as the guide says. NewPackageTests compiles it, and holds that no type is
// missing.
import Alamofire
import Patchbay
import Vapor
import WidgetKit

func names() {
    _ = Patchbay.AuthenticationInterceptor<BearerScheme>.self
    _ = (any AuthenticationScheme).self
    _ = BearerScheme.self
    _ = CSVRow.self
    _ = CacheStatus.self
    _ = CallTimeline.self
    _ = ClientCertificate.self
    _ = ConnectionSettings.self
    _ = (any InCallObserver).self
    _ = ProxySettings.self
    _ = Cookie.self
    _ = CookieJar.self
    _ = CookieNotice.self
    _ = CurlTransport.self
    _ = Decision.self
    _ = DecodedImage.self
    _ = (any DecodingSerializer).self
    _ = DownloadDestination.self
    _ = DownloadResumption.self
    _ = (any ElementDecodingSerializer).self
    _ = (any ElementParser).self
    _ = (any ElementWritingSerializer).self
    _ = (any EmptyRepresentable).self
    _ = EventReconnection.self
    _ = (any ExchangeReceiver).self
    _ = ExchangeTimings.self
    _ = FailureRule.self
    _ = FormFields.self
    _ = FormatFailure.self
    _ = HeaderFields.self
    _ = HostPattern.self
    _ = JSON.self
    _ = JSONSerializer.self
    _ = ManifestFailure.self
    _ = ManifestSource.self
    _ = Link.self
    _ = MediaType.self
    _ = Patchbay.MultipartFormData.self
    _ = OneShot.self
    _ = Problem.self
    _ = PropertyList.self
    _ = PublicKeyPin.self
    _ = QueryItems.self
    _ = Patchbay.RedirectHandler.self
    _ = Reply<Int>.self
    _ = RequestBody.self
    _ = RequestBodyPiece.self
    _ = (any RequestBodySource).self
    _ = RequestContent.self
    _ = RequestHead.self
    _ = (any Patchbay.RequestInterceptor).self
    _ = (any RequestSerializer).self
    _ = ResponseBody.self
    _ = ResponseCache.self
    _ = ResponseHead.self
    _ = ResponsePart.self
    _ = (any Patchbay.ResponseSerializer).self
    _ = ResponseStream<Int>.self
    _ = RetryDecision.self
    _ = Patchbay.RetryPolicy.self
    _ = (any Serializer).self
    _ = SerializerFactories.self
    _ = SerializerRegistry.self
    _ = ServerSentEvent.self
    _ = SessionConfiguration.self
    _ = SessionError.self
    _ = SessionEvent.self
    _ = SessionManager.self
    _ = (any SessionObserver).self
    _ = SessionRequest.self
    _ = SessionTask.self
    _ = StatusSet.self
    _ = (any StreamingSerializer).self
    _ = TLSSettings.self
    _ = TrafficLog.self
    _ = TransferProgress.self
    _ = (any Transport).self
    _ = TransportFailure.self
    _ = TransportFlow.self
    _ = TransportRequest.self
    _ = (any UnwrappingSerializer).self
    _ = XMLTree.self
}
